using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>One side of two links.</summary>
internal sealed class LossyChannel(string remoteName, LossyLink incoming, LossyLink outgoing) : DatagramChannel
{
    public override string RemoteName => remoteName;

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken) =>
        outgoing.SendAsync(frames, delivery, cancellationToken);

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
        incoming.ReceiveAsync(buffer, cancellationToken);

    public override void Abort()
    {
        outgoing.Break();
        incoming.Break();
    }

    public override ValueTask DisposeAsync()
    {
        outgoing.Complete(); // the other side still receives the bytes that were sent
        incoming.Break();
        return default;
    }
}
