using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Dispatches payloads of a pooled message to a handler of the test's.</summary>
internal sealed class PooledReceiver<T>
    where T : class
{
    private readonly MessageDispatcher<int> _dispatcher = new();

    public PooledReceiver(Action<T> handler) =>
        _dispatcher.Register<T>((in T message, ref int _) =>
        {
            Last = message;
            handler(message);
        });

    /// <summary>The instance that the handler got last. It isn't the test's any more.</summary>
    public T? Last { get; private set; }

    public DispatchStatus Receive(ReadOnlySpan<byte> payload)
    {
        Span<byte> message = new byte[MessageHeader.MaxSize + payload.Length];
        var size = new MessageHeader(MessageContract.GetDeclared<T>().Type).Write(message);
        payload.CopyTo(message.Slice(size));
        var state = 0;
        return _dispatcher.Dispatch(message.Slice(0, size + payload.Length), ref state);
    }
}
