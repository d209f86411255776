namespace Reloaded.Messaging.Hosting;

/// <summary>A stream that this side produces. The remote side pulls its blocks.</summary>
/// <remarks>Several pulls may be in flight. They are answered in their order, one at a time. Thread-safe.</remarks>
/// <param name="peer">The consumer.</param>
/// <param name="isSecret">Whether the contents are secret.</param>
/// <param name="blocks">Limits the blocks of several streams that are in memory; <c>null</c> for no limit but one block of this stream.</param>
internal abstract class OutgoingStream(Peer peer, bool isSecret, SemaphoreSlim? blocks = null) : IDisposable
{
    /// <summary>The maximum size of a block without its bytes: its header and its flag.</summary>
    private const int MaxOverhead = 32;

    // Callers that wait are released in the order of their calls.
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly CancellationTokenSource _closed = new();
    private CancellationTokenRegistration _whenPeerEnds;
    private int _isClosed;
    private volatile bool _isAborted;
    private Exception? _failure;

    /// <summary>Raised once, when the stream has ended or was closed.</summary>
    public event Action<OutgoingStream>? Ended;

    public Peer Peer => peer;

    /// <summary>The number of the stream in the <see cref="StreamTable"/> of this host. Set once, before the stream is published.</summary>
    public long Number;

    /// <summary>Canceled when the stream is closed.</summary>
    protected CancellationToken Closed => _closed.Token;

    protected bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>Closes the stream when its peer disconnects.</summary>
    public void CloseWithPeer()
    {
        _whenPeerEnds = Peer.Connection.Ended.UnsafeRegister(static stream => ((OutgoingStream)stream!).Dispose(), this);
        Interlocked.MemoryBarrier(); // either this thread sees the end, or the thread that closes sees the registration
        if (IsClosed)
            _whenPeerEnds.Unregister();
    }

    /// <summary>Publishes the stream as the items of a request that is about to be sent.</summary>
    /// <inheritdoc cref="StreamTable.AddItems"/>
    public void AddToRequest(uint correlationId) => StreamTable.Of(Peer.Host).AddItems(this, correlationId);

    /// <summary>Replies to a pull with the next block, or with the end. Waits while there is no block, and while the outbox of the peer is full.</summary>
    /// <param name="maxBytes">The requested size, in bytes. It is limited to what the peer accepts. 0 closes the stream.</param>
    /// <param name="context">The pull.</param>
    /// <exception cref="RequestFaultException">Thrown once, when the source of the stream has failed.</exception>
    public async ValueTask AnswerAsync(int maxBytes, MessageContext context)
    {
        if (maxBytes <= 0)
            Dispose();
        await _turn.WaitAsync().ConfigureAwait(true); // the source runs in the context of the pump
        try
        {
            if (blocks is not null)
                await blocks.WaitAsync().ConfigureAwait(true);
            try
            {
                if (!IsClosed)
                    await Peer.Connection.Outbox.WaitForRoomAsync(LimitBlock(Peer, maxBytes), StreamContracts.BlockDelivery).ConfigureAwait(true); // no block waits in memory for a peer that does not read
                var block = await NextAsync(LimitBlock(Peer, maxBytes)).ConfigureAwait(false);
                await Peer.Replies.ReplyAsync(StreamContracts.GetBlock(isSecret), block, context.CorrelationId, StreamContracts.BlockDelivery).ConfigureAwait(false);
            }
            finally
            {
                blocks?.Release();
            }
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Closes the stream, and returns a fault instead of the end to a consumer that has not read the end.</summary>
    /// <inheritdoc cref="TakeFailure"/>
    public Exception? Abort()
    {
        _isAborted = true;
        Dispose();
        return TakeFailure();
    }

    /// <summary>Takes the exception of the source of a closed stream.</summary>
    /// <returns>The exception of the source, once; otherwise, <c>null</c>.</returns>
    public Exception? TakeFailure() => Interlocked.Exchange(ref _failure, null);

    /// <summary>Closes the stream: the token of the source is canceled, and every waiting or later pull returns the end.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isClosed, 1) != 0)
            return;
        _whenPeerEnds.Unregister();
        _ = Peer.Answering.CancelAsync(_closed);
        OnClosed();
        Ended?.Invoke(this);
    }

    /// <summary>Returns the maximum size of the contents of a block, in bytes.</summary>
    protected static int GetMaxBlock(Peer peer) => Math.Min(peer.Connection.Sender.MaxReliableMessageSize, peer.Host.Options.MessageLimits.MaxMessageSize) - MaxOverhead;

    /// <summary>Returns the requested size of a block, limited so that a block fits into the outbox.</summary>
    protected static int LimitBlock(Peer peer, int maxBytes) => Math.Max(1, Math.Min(Math.Min(maxBytes, GetMaxBlock(peer)), peer.Host.Options.Limits.MaxPendingBytes / 4));

    /// <summary>Keeps the exception of the source for <see cref="TakeFailure"/>.</summary>
    /// <returns><c>false</c> if the stream was closed before, so that the caller reports the exception; otherwise, <c>true</c>.</returns>
    protected bool TryKeep(Exception failure)
    {
        Interlocked.Exchange(ref _failure, failure);
        return !IsClosed || TakeFailure() is null;
    }

    /// <summary>Returns the next block. Called by one caller at a time.</summary>
    protected abstract ValueTask<StreamBlock> TakeAsync(int maxBytes);

    /// <summary>Ends the waits of <see cref="TakeAsync"/>.</summary>
    protected abstract void OnClosed();

    private async ValueTask<StreamBlock> NextAsync(int maxBytes)
    {
        try
        {
            var block = IsClosed ? StreamBlock.End : await TakeAsync(maxBytes).ConfigureAwait(false);
            if (!block.IsEnd)
                return block;
            Dispose();
        }
        catch (OperationCanceledException) when (IsClosed)
        {
            // the consumer receives the end, as below
        }
        catch
        {
            Dispose();
            throw;
        }

        return _isAborted ? throw RequestFaultException.OfLibrary(FaultCode.Canceled, "The requester no longer waits for the reply.") : StreamBlock.End;
    }
}
