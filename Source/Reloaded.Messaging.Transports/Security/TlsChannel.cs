using System;
using System.IO;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Another channel, encrypted. Its handshake begins with the first send or receive, and both wait for it.</summary>
/// <remarks>So a listener hands channels out as they come, and one that says nothing keeps nobody waiting but whoever would receive from it.</remarks>
internal sealed class TlsChannel : TransportChannel
{
    private static readonly TimeSpan s_farewellTime = TimeSpan.FromSeconds(1);

    private readonly TransportChannel _inner;
    private readonly SslStream _stream;
    private readonly Func<SslStream, Task> _authenticate;
    private readonly Func<Exception, string> _explain;
    private readonly object _gate = new();
    private readonly SemaphoreSlim _sending = new(1, 1);
    private Task? _handshake;
    private bool _isClosed;

    /// <param name="inner">What carries the bytes: this channel's from here on.</param>
    /// <param name="authenticate">Shakes hands.</param>
    /// <param name="explain">Why that failed, for people.</param>
    public TlsChannel(TransportChannel inner, Func<SslStream, Task> authenticate, Func<Exception, string> explain)
    {
        _inner = inner;
        _authenticate = authenticate;
        _explain = explain;
        _stream = new SslStream(new ChannelStream(inner), leaveInnerStreamOpen: true);
    }

    public override string RemoteName => _inner.RemoteName;

    public override string? RemoteIdentity => _inner.RemoteIdentity;

    public override long? SentBytes => _inner.SentBytes;

    public override bool HasUnread => _inner.HasUnread;

    /// <summary>Has the handshake go on by itself; whoever sends or receives first hears how it ends.</summary>
    public void BeginHandshake() => _ = HandshakeAsync(default);

    /// <summary>Completes when both sides are encrypted.</summary>
    /// <exception cref="TransportClosedException">They can't be, and why.</exception>
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
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false); // the farewell is a write too
        try
        {
            if (_isClosed)
                throw new TransportClosedException($"The channel to {RemoteName} was closed on this side.");
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
        if (_isClosed) // what was decrypted already would be given out still
            throw new TransportClosedException($"The channel to {RemoteName} was closed on this side.");
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
            await SayFarewellAsync().ConfigureAwait(false);
        await _inner.DisposeAsync().ConfigureAwait(false);
        await _stream.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Tells the other side that this is the end and not a cut. If a send is stuck there is no place for that.</summary>
    private async Task SayFarewellAsync()
    {
        if (!await _sending.WaitAsync(s_farewellTime).ConfigureAwait(false))
            return;
        try
        {
            await _stream.ShutdownAsync().WaitAsync(s_farewellTime).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e) || e is TimeoutException)
        {
            // The other side is gone, or takes nothing any more: it needs no telling.
            _ = e;
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Has its exception looked at: a handshake that nobody waits for any more fails too.</summary>
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
            throw new TransportClosedException(TransportCloseReason.TlsFailed, $"TLS with {RemoteName} failed: {_explain(e)}", e);
        }
    }

    private static bool IsEnd(Exception e) => e is IOException or ObjectDisposedException or InvalidOperationException or AuthenticationException or NotSupportedException;
}
