namespace Reloaded.Messaging;

/// <summary>What a pump does with each message: a struct, so that the one loop is compiled for it.</summary>
internal interface IPumpStep<in TSender, TState>
{
    DispatchStatus Handle(PackedMessage message, TSender sender, ref TState state);
}
