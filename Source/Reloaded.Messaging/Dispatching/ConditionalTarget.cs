using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Calls another target for messages that meet a condition.</summary>
internal sealed class ConditionalTarget<T>(MessageDispatcher<T> dispatcher, Target<T> inner, HandlerCondition<T> condition)
    : Target<T>(dispatcher, inner.Type, inner.Contract)
{
    protected override Route<T> CreateRoute()
    {
        inner.Prepare();
        return new(Invoke);
    }

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state) =>
        condition(in state) ? inner.Handle(in header, payload, ref state) : DispatchStatus.NoHandler;

    public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken) =>
        condition(in state) ? inner.HandleAsync(in header, payload, state, cancellationToken) : new ValueTask<DispatchStatus>(DispatchStatus.NoHandler);

    private DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state) =>
        condition(in state) ? inner.Route.Call!(message, ref state) : Dispatcher.Count(DispatchStatus.NoHandler);
}
