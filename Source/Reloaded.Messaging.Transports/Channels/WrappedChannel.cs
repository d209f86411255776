using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A channel that changes bytes and sends them through another channel, which it owns.</summary>
/// <param name="inner">The channel that carries the bytes.</param>
internal abstract class WrappedChannel(TransportChannel inner) : TransportChannel
{
    private int _isClosed;

    public override string RemoteName => inner.RemoteName;

    public override string? RemoteIdentity => inner.RemoteIdentity;

    public override long? SentBytes => inner.SentBytes;

    public override bool HasUnread => inner.HasUnread;

    public override int? LostFrames => inner.LostFrames;

    protected TransportChannel Inner => inner;

    /// <summary>Whether this side has closed the channel.</summary>
    protected bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>Closes the channel on this side.</summary>
    /// <returns><see langword="true"/> for the first call; otherwise, <see langword="false"/>.</returns>
    protected bool TryClose() => Interlocked.Exchange(ref _isClosed, 1) == 0;

    protected void ThrowIfClosed()
    {
        if (IsClosed)
            throw ClosedHere();
    }

    protected TransportClosedException ClosedHere() => TransportClosedException.Here(RemoteName);

    /// <summary>Observes the exception of a task that may have no waiter.</summary>
    protected static T Observe<T>(T task)
        where T : Task
    {
        _ = task.ContinueWith(
            static failed => _ = failed.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return task;
    }
}

/// <summary>A wrapped channel with an opening handshake, for which sends and receives wait, and with a farewell.</summary>
/// <remarks>A listener returns its channels without waiting for their handshakes. A silent client therefore delays only its own channel.</remarks>
/// <param name="inner">The channel that carries the bytes.</param>
internal abstract class HandshakingChannel(TransportChannel inner) : WrappedChannel(inner)
{
    private static readonly TimeSpan s_farewellTime = TimeSpan.FromSeconds(1);

    private readonly SemaphoreSlim _sending = new(1, 1);

    /// <summary>The handshake. It runs in the background from the creation of the channel.</summary>
    protected abstract Task Handshake { get; }

    /// <summary>The maximum size of one write, in bytes. A larger send is split.</summary>
    protected virtual int MaxWrite => int.MaxValue;

    /// <summary>Waits for the handshake.</summary>
    /// <exception cref="TransportClosedException">Thrown when the handshake failed. The exception contains the reason.</exception>
    public Task OpenAsync(CancellationToken cancellationToken) => Handshake.IsCompletedSuccessfully ? Handshake : Handshake.WaitAsync(cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public sealed override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        await OpenAsync(cancellationToken).ConfigureAwait(false);
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false); // the farewell is sent too
        try
        {
            ThrowIfClosed();
            while (frames.Length > 0)
            {
                var part = frames.Slice(0, Math.Min(frames.Length, MaxWrite));
                await WriteAsync(part, cancellationToken).ConfigureAwait(false);
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

    public sealed override void Abort()
    {
        TryClose();
        Inner.Abort();
    }

    public override async ValueTask DisposeAsync()
    {
        if (TryClose() && Handshake.IsCompletedSuccessfully)
            await SayFarewellAsync(SendFarewellAsync).ConfigureAwait(false);
        await Inner.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Writes bytes after the handshake.</summary>
    protected abstract ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken);

    /// <summary>Sends the bytes by which the other side distinguishes an orderly end from a lost connection.</summary>
    protected abstract Task SendFarewellAsync();

    /// <summary>Returns whether an exception means that the connection has ended.</summary>
    protected abstract bool IsEnd(Exception e, CancellationToken cancellationToken);

    /// <summary>Sends a farewell. Skipped while a send is blocked.</summary>
    protected async Task SayFarewellAsync(Func<Task> send)
    {
        if (!await _sending.WaitAsync(s_farewellTime).ConfigureAwait(false))
            return;
        try
        {
            await send().WaitAsync(s_farewellTime).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e, default) || e is TimeoutException or TransportClosedException)
        {
            // The other side has disconnected or does not read. It does not need the farewell.
            _ = e;
        }
        finally
        {
            _sending.Release();
        }
    }
}

/// <summary>Wraps the channels that another listener accepts. Accepting waits for no handshake; each handshake runs in its channel.</summary>
/// <param name="inner">The listener. It is disposed with this listener.</param>
/// <param name="wrap">Wraps an accepted channel.</param>
internal sealed class WrappedListener(TransportListener inner, Func<TransportChannel, WrappedChannel> wrap) : TransportListener
{
    public override TransportAddress Address => inner.Address;

    public override ReadOnlyMemory<byte> Token => inner.Token;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
        await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } accepted ? wrap(accepted) : null;

    public override ValueTask DisposeAsync() => inner.DisposeAsync();
}
