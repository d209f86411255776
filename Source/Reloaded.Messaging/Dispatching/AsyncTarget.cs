using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>An asynchronous handler. The message is deserialized before the first await, so the caller's bytes are free when the call returns.</summary>
internal sealed class AsyncTarget<TMessage, T>(MessageDispatcher<T> dispatcher, MessageContract<TMessage> contract, AsyncMessageHandler<TMessage, T> handler)
    : Target<T>(dispatcher, contract.Type, contract)
{
    private readonly PayloadDecoder<TMessage> _decoder = new(contract, dispatcher.Limits);

    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state) => DispatchStatus.HandlerIsAsync;

    public override ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken)
    {
        if (!TryDecode(_decoder, in header, payload, in state, out var message, out var status))
            return new ValueTask<DispatchStatus>(status);

        ValueTask running;
        try
        {
            running = handler(message, state, cancellationToken);
        }
        catch (Exception e)
        {
            running = new ValueTask(Task.FromException(e)); // the awaiter gets it, as if the handler had thrown after its first await
        }

        if (!running.IsCompletedSuccessfully)
            return FinishAsync(running, message);

        running.GetAwaiter().GetResult(); // returns a pooled source to its pool
        _decoder.Return(message);
        return new ValueTask<DispatchStatus>(DispatchStatus.Handled);
    }

    private async ValueTask<DispatchStatus> FinishAsync(ValueTask running, TMessage message)
    {
        await running.ConfigureAwait(false);
        _decoder.Return(message);
        return DispatchStatus.Handled;
    }
}
