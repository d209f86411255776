using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

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

    /// <summary>Waits for the handshake of a client, and closes the channel if the handshake fails.</summary>
    /// <param name="timeout">The longest wait.</param>
    /// <param name="silence">The text of the exception if the handshake takes longer.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask<TransportChannel> OpenAsync(TimeSpan timeout, string silence, CancellationToken cancellationToken)
    {
        try
        {
            await Handshake.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            return this;
        }
        catch (Exception e)
        {
            Abort();
            await DisposeAsync().ConfigureAwait(false);
            if (e is not TimeoutException)
                throw;
            throw new TransportClosedException(TransportCloseReason.HandshakeTimeout, silence, e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public sealed override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
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
            cancellationToken.ThrowIfCancellationRequested(); // a WebSocket is aborted by a cancellation after its last write, and refuses the next one
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

    /// <summary>Sends a farewell. Skipped while a send is blocked. Does not throw, so that the connection is closed afterwards.</summary>
    protected async Task SayFarewellAsync(Func<Task> send)
    {
        if (!await _sending.WaitAsync(s_farewellTime).ConfigureAwait(false))
            return;
        try
        {
            await Observe(send()).WaitAsync(s_farewellTime).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            // The other side has disconnected or does not read. It does not need the farewell. The list of exceptions is open: SslStream throws internal types of the system's TLS.
            _ = e;
        }
        finally
        {
            _sending.Release();
        }
    }
}
