namespace Reloaded.Messaging.Tests.Support;

/// <summary>A listener whose connections come from one address of another machine.</summary>
internal sealed class FarListener(TransportListener inner, string identity) : TransportListener
{
    public override TransportAddress Address => inner.Address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
        await inner.AcceptAsync(cancellationToken) is { } channel ? new FarChannel(channel, identity) : null;

    public override ValueTask DisposeAsync() => inner.DisposeAsync();

    private sealed class FarChannel(TransportChannel inner, string identity) : TransportChannel
    {
        public override string RemoteName => inner.RemoteName;

        public override string? RemoteIdentity => identity;

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => inner.SendAsync(frames, cancellationToken);

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => inner.ReceiveAsync(buffer, cancellationToken);

        public override void Abort() => inner.Abort();

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
