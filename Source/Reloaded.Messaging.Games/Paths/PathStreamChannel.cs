using System.Threading.Channels;

namespace Reloaded.Messaging.Games;

/// <summary>A channel whose bytes take a path in both directions.</summary>
internal sealed class PathStreamChannel : TransportChannel
{
    private const int ReceiveBuffer = 64 << 10; // bytes

    private readonly TransportChannel _inner;
    private readonly TransportContext _context;
    private readonly PathStream _up;
    private readonly PathStream _down;
    private readonly Task _sending;
    private ReadOnlyMemory<byte> _rest; // bytes that have left the path and were not received yet

    /// <param name="inner">The channel that sends the bytes. It is disposed with this channel.</param>
    /// <param name="path">The path.</param>
    /// <param name="context">The settings of the host.</param>
    public PathStreamChannel(TransportChannel inner, NetworkPath path, TransportContext context)
    {
        (_inner, _context, Token) = (inner, context, inner.Token);
        (_up, _down) = (new PathStream(path, context.TimeProvider), new PathStream(path, context.TimeProvider));
        _sending = Detached.Run(SendUpAsync);
        _ = Detached.Run(ReceiveDownAsync);
    }

    public override string RemoteName => _inner.RemoteName;

    public override string? RemoteIdentity => _inner.RemoteIdentity;

    public override long? SentBytes => _inner.SentBytes;

    public override bool HasUnread => _down.HasBytes || _inner.HasUnread;

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        try
        {
            await _up.EnterAsync(frames, cancellationToken).ConfigureAwait(false);
        }
        catch (ChannelClosedException e)
        {
            throw new TransportClosedException($"Sending to {RemoteName} over a NetworkPath failed. {e.InnerException?.Message}", e);
        }
    }

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (_rest.IsEmpty)
            _rest = await _down.LeaveAsync(cancellationToken).ConfigureAwait(false);
        var size = Math.Min(_rest.Length, buffer.Length);
        _rest.Slice(0, size).CopyTo(buffer);
        _rest = _rest.Slice(size);
        return size;
    }

    public override void Abort()
    {
        _inner.Abort();
        EndHere();
    }

    public override async ValueTask DisposeAsync()
    {
        _up.End();
        await _sending.WaitAsync(_context.FlushTimeout, _context.TimeProvider).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _inner.DisposeAsync().ConfigureAwait(false);
        EndHere();
    }

    private void EndHere()
    {
        var failure = new TransportClosedException($"The channel to {RemoteName} was closed on this side. Connect again.");
        _up.End(failure);
        _down.End(failure);
    }

    private async Task SendUpAsync()
    {
        try
        {
            while (await _up.LeaveAsync(CancellationToken.None).ConfigureAwait(false) is { IsEmpty: false } bytes)
                await _inner.SendAsync(bytes, CancellationToken.None).ConfigureAwait(false);
        }
        catch (TransportClosedException e)
        {
            _up.End(e);
        }
    }

    private async Task ReceiveDownAsync()
    {
        try
        {
            var buffer = new byte[ReceiveBuffer];
            while (await _inner.ReceiveAsync(buffer, CancellationToken.None).ConfigureAwait(false) is var size and not 0)
                await _down.EnterAsync(buffer.AsMemory(0, size), CancellationToken.None).ConfigureAwait(false);
            _down.Complete();
        }
        catch (Exception e) when (e is TransportClosedException or ChannelClosedException)
        {
            _down.Complete(e);
        }
    }
}
