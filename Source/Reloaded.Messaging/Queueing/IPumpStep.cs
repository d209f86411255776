namespace Reloaded.Messaging;

/// <summary>The action of a pump for each message. It is a struct, so that the loop is compiled for it.</summary>
internal interface IPumpStep<in TSender, TState>
{
    DispatchStatus Handle(PackedMessage message, TSender sender, ref TState state);
}
