using System;
using System.IO;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A WebSocket over another channel. The payloads of its binary messages are the stream of bytes. Sends and receives wait for the upgrade.</summary>
/// <remarks>A listener returns its channels without waiting for their upgrades. A silent client therefore delays only its own channel.</remarks>
internal sealed class WebSocketChannel : TransportChannel
{
    /// <summary>The maximum size of a binary message that this side sends, in bytes. A large send is split, so that a message needs no large buffer on the other side.</summary>
    private const int MaxWrite = 64 * 1024;

    private const int BufferSize = 16 * 1024;

    private static readonly TimeSpan s_farewellTime = TimeSpan.FromSeconds(1);

    private readonly TransportChannel _inner;
    private readonly Task<WebSocket> _upgrade;
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly object _gate = new();

    /// <summary>A canceled receive ends a WebSocket. The channel's own receive therefore continues, and fills this buffer for the next caller.</summary>
    private byte[] _buffer = [];
    private ReadOnlyMemory<byte> _received;
    private Task<int>? _receiving;
    private bool _isClosed;

    /// <param name="inner">The channel that carries the bytes. This channel owns it from now on.</param>
    /// <param name="upgrade">The opening handshake on that channel.</param>
    public WebSocketChannel(TransportChannel inner, Task<WebSocket> upgrade)
    {
        _inner = inner;
        _upgrade = Observe(upgrade);
    }

    public override string RemoteName => _inner.RemoteName;

    public override string? RemoteIdentity => _inner.RemoteIdentity;

    public override long? SentBytes => _inner.SentBytes;

    public override bool HasUnread => _inner.HasUnread;

    /// <summary>Completes when the connection is a WebSocket.</summary>
    /// <exception cref="TransportClosedException">Thrown when the handshake failed. The exception contains the reason.</exception>
    public Task<WebSocket> OpenAsync(CancellationToken cancellationToken) => _upgrade.IsCompletedSuccessfully ? _upgrade : _upgrade.WaitAsync(cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        var socket = await OpenAsync(cancellationToken).ConfigureAwait(false);
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false); // the close message is sent too
        try
        {
            ThrowIfClosed();
            while (frames.Length > 0)
            {
                var part = frames.Slice(0, Math.Min(frames.Length, MaxWrite));
                await socket.SendAsync(part, WebSocketMessageType.Binary, endOfMessage: true, cancellationToken).ConfigureAwait(false);
                frames = frames.Slice(part.Length);
            }
        }
        catch (Exception e) when (IsEnd(e, cancellationToken))
        {
            throw new TransportClosedException($"Sending to {RemoteName} failed: {e.Message}", e);
        }
        finally
        {
            _sending.Release();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        var socket = await OpenAsync(cancellationToken).ConfigureAwait(false);
        ThrowIfClosed();
        if (_received.IsEmpty)
        {
            _receiving ??= Observe(ReceiveMoreAsync(socket));
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

    public override void Abort()
    {
        lock (_gate)
            _isClosed = true;
        _inner.Abort();
    }

    public override async ValueTask DisposeAsync()
    {
        var isFirst = false;
        lock (_gate)
            (isFirst, _isClosed) = (!_isClosed, true);
        if (isFirst && _upgrade.IsCompletedSuccessfully)
            await SayFarewellAsync(await _upgrade.ConfigureAwait(false), WebSocketCloseStatus.NormalClosure).ConfigureAwait(false);
        await _inner.DisposeAsync().ConfigureAwait(false);
    }

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
                    return 0;
                if (received.MessageType == WebSocketMessageType.Text)
                {
                    await SayFarewellAsync(socket, WebSocketCloseStatus.InvalidMessageType).ConfigureAwait(false);
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

    /// <summary>Sends the close message, by which the other side distinguishes an orderly end from a lost connection. Skipped while a send is blocked.</summary>
    private async Task SayFarewellAsync(WebSocket socket, WebSocketCloseStatus status)
    {
        if (!await _sending.WaitAsync(s_farewellTime).ConfigureAwait(false))
            return;
        try
        {
            await socket.CloseOutputAsync(status, statusDescription: null, default).WaitAsync(s_farewellTime).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e, default) || e is TimeoutException or TransportClosedException)
        {
            // The other side has disconnected or does not read. It does not need the close message.
            _ = e;
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Observes the exception of a task that may have no waiter.</summary>
    private static Task<T> Observe<T>(Task<T> task)
    {
        _ = task.ContinueWith(
            static failed => _ = failed.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return task;
    }

    private void ThrowIfClosed()
    {
        lock (_gate)
        {
            if (_isClosed)
                throw new TransportClosedException($"The channel to {RemoteName} was closed on this side. Connect again.");
        }
    }

    /// <summary>Returns whether an exception means that the WebSocket has ended. A canceled operation that the caller did not cancel was aborted.</summary>
    private static bool IsEnd(Exception e, CancellationToken cancellationToken) =>
        e is WebSocketException or ObjectDisposedException or InvalidOperationException ||
        (e is OperationCanceledException && !cancellationToken.IsCancellationRequested) ||
        (e is IOException and not TransportClosedException);
}
