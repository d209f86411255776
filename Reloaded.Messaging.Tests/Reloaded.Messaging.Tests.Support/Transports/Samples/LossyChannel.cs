using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>One side of two links.</summary>
internal sealed class LossyChannel : DatagramChannel
{
    private readonly LossyLink _incoming;
    private readonly LossyLink _outgoing;

    public LossyChannel(string remoteName, LossyLink incoming, LossyLink outgoing)
    {
        (RemoteName, _incoming, _outgoing) = (remoteName, incoming, outgoing);
        outgoing.BytesLeft = () => BytesLeft?.Invoke();
    }

    public override string RemoteName { get; }

    public override int PendingBytes => _outgoing.WaitingBytes;

    public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default) =>
        _outgoing.TrySend(before, message, delivery, maxPending);

    public override bool HasRoom(int size, Delivery delivery, int maxPending) => _outgoing.HasRoom(size, maxPending);

    public override void Flush()
    {
        // TryQueue has sent everything
    }

    public override Task FlushAsync() => Task.CompletedTask;

    public override void Seal(ReadOnlySpan<byte> last) => _outgoing.Seal(last);

    /// <summary>Sends bytes of the encrypted stream of a protected host.</summary>
    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => _outgoing.SendAsync(frames, cancellationToken);

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
        _incoming.ReceiveAsync(buffer, cancellationToken);

    public override void Abort()
    {
        _outgoing.Complete(); // the other side still receives the bytes that were sent
        _incoming.Break();
    }

    public override ValueTask DisposeAsync()
    {
        Abort();
        return default;
    }
}
