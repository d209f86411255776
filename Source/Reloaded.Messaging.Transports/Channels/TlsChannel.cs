using System;
using System.IO;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Encrypts another channel with TLS. Sends and receives wait for the handshake.</summary>
/// <remarks>A listener returns its channels without waiting for their handshakes. A silent client therefore delays only its own channel.</remarks>
internal sealed class TlsChannel : TransportChannel
{
    private static readonly TimeSpan s_shutdownTime = TimeSpan.FromSeconds(1);

    private readonly TransportChannel _inner;
    private readonly ChannelStream _bytes;
    private readonly SslStream _stream;
    private readonly Func<SslStream, Task> _authenticate;
    private readonly Func<Exception, string> _explain;
    private readonly object _gate = new();
    private readonly SemaphoreSlim _sending = new(1, 1);
    private Task? _handshake;
    private bool _isClosed;

    /// <param name="inner">The channel that carries the bytes. This channel owns it from now on.</param>
    /// <param name="authenticate">Performs the TLS handshake.</param>
    /// <param name="explain">Returns the text that explains a failed handshake.</param>
    public TlsChannel(TransportChannel inner, Func<SslStream, Task> authenticate, Func<Exception, string> explain)
    {
        _inner = inner;
        _authenticate = authenticate;
        _explain = explain;
        _bytes = new ChannelStream(inner);
        _stream = new SslStream(_bytes, leaveInnerStreamOpen: true);
    }

    public override string RemoteName => _inner.RemoteName;

    public override string? RemoteIdentity => _inner.RemoteIdentity;

    public override long? SentBytes => _inner.SentBytes;

    public override bool HasUnread => _inner.HasUnread;

    /// <summary>Starts the handshake in the background. The first send or receive throws if the handshake fails.</summary>
    public void BeginHandshake() => _ = HandshakeAsync(default);

    /// <summary>Performs the handshake. Completes when the connection is encrypted.</summary>
    /// <exception cref="TransportClosedException">Thrown when the handshake failed. The exception contains the reason.</exception>
    public Task HandshakeAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
            _handshake ??= Observe(AuthenticateAsync());
        return _handshake.IsCompletedSuccessfully ? _handshake : _handshake.WaitAsync(cancellationToken);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        await HandshakeAsync(cancellationToken).ConfigureAwait(false);
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false); // the TLS shutdown writes to the stream too
        try
        {
            if (_isClosed)
                throw new TransportClosedException($"The channel to {RemoteName} was closed on this side. Connect again.");
            await _stream.WriteAsync(frames, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e))
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
        await HandshakeAsync(cancellationToken).ConfigureAwait(false);
        if (_isClosed) // otherwise, bytes that are already decrypted would be returned
            throw new TransportClosedException($"The channel to {RemoteName} was closed on this side. Connect again.");
        try
        {
            return await _stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Receiving from {RemoteName} failed: {e.Message}", e);
        }
    }

    public override void Abort()
    {
        _isClosed = true;
        _inner.Abort();
    }

    public override async ValueTask DisposeAsync()
    {
        var isFirst = false;
        lock (_gate)
            (isFirst, _isClosed) = (!_isClosed, true);
        if (isFirst && _handshake is { IsCompletedSuccessfully: true })
            await ShutDownAsync().ConfigureAwait(false);
        await _inner.DisposeAsync().ConfigureAwait(false);
        await _stream.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Sends the TLS shutdown alert, by which the other side distinguishes an orderly end from truncation. Skipped while a send is blocked.</summary>
    private async Task ShutDownAsync()
    {
        if (!await _sending.WaitAsync(s_shutdownTime).ConfigureAwait(false))
            return;
        try
        {
            await _stream.ShutdownAsync().WaitAsync(s_shutdownTime).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e) || e is TimeoutException)
        {
            // The other side has disconnected or does not read. It does not need the alert.
            _ = e;
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Observes the exception of a handshake that may have no waiter.</summary>
    private static Task Observe(Task handshake)
    {
        _ = handshake.ContinueWith(
            static failed => _ = failed.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return handshake;
    }

    private async Task AuthenticateAsync()
    {
        try
        {
            await _authenticate(_stream).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e) || e is AuthenticationException)
        {
            // An end without a byte is that of a program that was ended or is being stopped.
            var reason = _bytes.HasReceived || e is AuthenticationException ? TransportCloseReason.TlsFailed : TransportCloseReason.ConnectionLost;
            throw new TransportClosedException(reason, $"TLS with {RemoteName} failed: {_explain(e)}", e);
        }
    }

    private static bool IsEnd(Exception e) => e is IOException or ObjectDisposedException or InvalidOperationException or AuthenticationException or NotSupportedException;
}
