namespace Reloaded.Messaging;

/// <summary>Dispatches with the sender as the state; the pump's own is not used.</summary>
internal readonly struct SenderStep<TSender>(MessageDispatcher<TSender> dispatcher) : IPumpStep<TSender, int>
{
    public DispatchStatus Handle(PackedMessage message, TSender sender, ref int state) => dispatcher.Dispatch(message.Span, ref sender);
}
