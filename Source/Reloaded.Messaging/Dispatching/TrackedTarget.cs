using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Counts the calls of another target. A call that starts too late goes to the current target of its type.</summary>
internal sealed class TrackedTarget<T>(MessageDispatcher<T> dispatcher, Target<T> inner, RunningCalls running)
    : Target<T>(dispatcher, inner.Type, inner.Contract)
{
    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        if (!running.TryEnter())
            return Dispatcher.FindTarget(header.Type) is { } now ? now.Handle(in header, payload, ref state) : DispatchStatus.NoHandler;

        try
        {
            return inner.Handle(in header, payload, ref state);
        }
        finally
        {
            running.Exit();
        }
    }

    public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken)
    {
        if (!running.TryEnter())
        {
            return Dispatcher.FindTarget(header.Type) is { } now
                ? now.HandleAsync(in header, payload, state, cancellationToken)
                : new ValueTask<DispatchStatus>(DispatchStatus.NoHandler);
        }

        ValueTask<DispatchStatus> call;
        try
        {
            call = inner.HandleAsync(in header, payload, state, cancellationToken);
        }
        catch
        {
            running.Exit();
            throw;
        }

        if (!call.IsCompletedSuccessfully)
            return FinishAsync(call);
        running.Exit();
        return call;
    }

    private async ValueTask<DispatchStatus> FinishAsync(ValueTask<DispatchStatus> call)
    {
        try
        {
            return await call.ConfigureAwait(false);
        }
        finally
        {
            running.Exit();
        }
    }
}
