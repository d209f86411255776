namespace Reloaded.Messaging;

/// <summary>Dispatches a message with a state that receives its sender.</summary>
internal readonly struct StateStep<TSender, TState>(MessageDispatcher<TState> dispatcher) : IPumpStep<TSender, TState>
    where TState : IPumpState<TSender>
{
    public DispatchStatus Handle(PackedMessage message, TSender sender, ref TState state)
    {
        state.SetSender(sender);
        return dispatcher.Dispatch(message.Span, ref state);
    }
}
