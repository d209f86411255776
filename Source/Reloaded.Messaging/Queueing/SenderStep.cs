namespace Reloaded.Messaging;

/// <summary>Dispatches a message with its sender as the state.</summary>
internal readonly struct SenderStep<TSender>(MessageDispatcher<TSender> dispatcher) : IPumpStep<TSender, int>
{
    public DispatchStatus Handle(PackedMessage message, TSender sender, ref int state) => dispatcher.Dispatch(message.Span, ref sender);
}
