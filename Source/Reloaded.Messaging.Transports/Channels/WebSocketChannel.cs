using System.IO;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A WebSocket over another channel. The payloads of its binary messages are the stream of bytes.</summary>
internal sealed class WebSocketChannel : HandshakingChannel
{
    private const int BufferSize = 16 * 1024;

    private readonly Task<WebSocket> _upgrade;

    /// <summary>A canceled receive ends a WebSocket. The channel's own receive therefore continues, and fills this buffer for the next caller.</summary>
    private byte[] _buffer = [];
    private ReadOnlyMemory<byte> _received;
    private Task<int>? _receiving;

    /// <param name="inner">The channel that carries the bytes. This channel owns it from now on.</param>
    /// <param name="upgrade">The opening handshake on that channel.</param>
    public WebSocketChannel(TransportChannel inner, Task<WebSocket> upgrade)
        : base(inner) => _upgrade = Observe(upgrade);

    protected override Task Handshake => _upgrade;

    /// <summary>The maximum size of a binary message, in bytes. The other side needs no large buffer for a message.</summary>
    protected override int MaxWrite => 64 * 1024;

    private WebSocket Socket => _upgrade.GetAwaiter().GetResult(); // after the handshake

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        await OpenAsync(cancellationToken).ConfigureAwait(false);
        ThrowIfClosed();
        if (_received.IsEmpty)
        {
            _receiving ??= Observe(ReceiveMoreAsync(Socket));
            var length = await (_receiving.IsCompleted ? _receiving : _receiving.WaitAsync(cancellationToken)).ConfigureAwait(false);
            if (length == 0)
                return 0; // the task is kept: the end stays
            _receiving = null;
            _received = _buffer.AsMemory(0, length);
        }

        var taken = Math.Min(_received.Length, buffer.Length);
        _received.Slice(0, taken).CopyTo(buffer);
        _received = _received.Slice(taken);
        return taken;
    }

    protected override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) =>
        Socket.SendAsync(bytes, WebSocketMessageType.Binary, endOfMessage: true, cancellationToken);

    /// <summary>Sends the close message.</summary>
    protected override Task SendFarewellAsync() => CloseAsync(Socket, WebSocketCloseStatus.NormalClosure);

    /// <summary>Returns whether an exception means that the WebSocket has ended. A canceled operation that the caller did not cancel was aborted.</summary>
    protected override bool IsEnd(Exception e, CancellationToken cancellationToken) =>
        e is WebSocketException or ObjectDisposedException or InvalidOperationException ||
        (e is OperationCanceledException && !cancellationToken.IsCancellationRequested) ||
        (e is IOException and not TransportClosedException);

    /// <summary>Receives the next bytes into the buffer.</summary>
    /// <returns>The number of bytes; 0 after the close message of the other side.</returns>
    private async Task<int> ReceiveMoreAsync(WebSocket socket)
    {
        if (_buffer.Length == 0)
            _buffer = new byte[BufferSize];
        try
        {
            while (true)
            {
                var received = await socket.ReceiveAsync(_buffer.AsMemory(), default).ConfigureAwait(false);
                if (received.MessageType == WebSocketMessageType.Close)
                {
                    if (socket.State == WebSocketState.CloseReceived) // an answer is required (RFC 6455, 5.5.1), except to an answer
                        await SayFarewellAsync(() => CloseAsync(socket, socket.CloseStatus is { } status and not WebSocketCloseStatus.Empty ? status : WebSocketCloseStatus.NormalClosure)).ConfigureAwait(false);
                    return 0;
                }

                if (received.MessageType == WebSocketMessageType.Text)
                {
                    await SayFarewellAsync(() => CloseAsync(socket, WebSocketCloseStatus.InvalidMessageType)).ConfigureAwait(false);
                    throw new TransportClosedException(TransportCloseReason.WrongProtocol, $"{RemoteName} sent a text message. Send the bytes of the wire format in binary messages.");
                }

                if (received.Count > 0)
                    return received.Count;
            }
        }
        catch (Exception e) when (IsEnd(e, default))
        {
            throw new TransportClosedException($"Receiving from {RemoteName} failed: {e.Message}", e);
        }
    }

    private static Task CloseAsync(WebSocket socket, WebSocketCloseStatus status) => socket.CloseOutputAsync(status, statusDescription: null, default);
}
