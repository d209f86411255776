using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Handshakes on a runtime whose receives do not end when they are cancelled.</summary>
public sealed class StubbornChannelTests
{
    [Fact]
    public async Task Handshake_timeout_ends_a_receive_that_ignores_its_cancellation()
    {
        var endpoint = MessageEndpoint.InProcess("stubborn-channel");
        var options = new MessageHostOptions
        {
            KeepAliveTimeout = TimeSpan.FromMinutes(10), // so that nothing else ends the connection
            Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(100) },
        };
        await using var server = Servers.Make(new StubbornListener(await endpoint.ListenAsync(new TransportContext())), options);
        server.Start();
        await using var silent = await endpoint.ConnectAsync(new TransportContext());

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.HandshakeTimeout) == 1);

        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
    }

    private sealed class StubbornListener(TransportListener inner) : TransportListener
    {
        public override TransportAddress Address => inner.Address;

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
            await inner.AcceptAsync(cancellationToken) is { } channel ? new StubbornChannel(channel) : null;

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    private sealed class StubbornChannel(TransportChannel inner) : TransportChannel
    {
        public override string RemoteName => inner.RemoteName;

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => inner.SendAsync(frames, cancellationToken);

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => inner.ReceiveAsync(buffer, default);

        public override void Abort() => inner.Abort();

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
