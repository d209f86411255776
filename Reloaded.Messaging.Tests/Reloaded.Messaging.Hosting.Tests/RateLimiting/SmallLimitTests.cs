using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.RateLimiting;

/// <summary>How large a program's messages may be says nothing of what the connection itself has to say.</summary>
public sealed class SmallLimitTests
{
    public static TheoryData<int, int> Limits => new() { { 256, 1 << 20 }, { 1 << 20, 256 }, { 128, 128 } };

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task A_kick_arrives_with_all_of_its_text(int limit, int theirLimit)
    {
        var text = new string('x', 1000);
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), serverOptions: Limited(limit), clientOptions: Limited(theirLimit));
        var gone = hosts.Client.Disconnection();
        var peer = await hosts.Server.Connection().InTime();

        await peer.KickAsync(text).InTime();

        Assert.Equal((DisconnectReason.Goodbye, text), (await gone.InTime(), hosts.Client.Server.GoodbyeText));
        Assert.Equal(1, hosts.Server.GetCount(DisconnectReason.Kicked));
    }

    [Theory]
    [MemberData(nameof(Limits))]
    public async Task A_large_contract_is_told_when_it_is_registered_later(int limit, int theirLimit)
    {
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest((Ping ping) => new Pong(ping.Number)),
            serverOptions: Limited(limit),
            clientOptions: Limited(theirLimit));
        await hosts.Server.Connection().InTime();

        hosts.Server.On(WithFields(40, version: 1), (in Ping _, Peer _) => { });

        Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(SendStatus.ContractMismatch, hosts.Client.Server.Send(WithFields(40, version: 2), new Ping(1)));
    }

    [Theory]
    [InlineData(MessageKind.Event, 300)]
    [InlineData(MessageKind.Control, 300_000)]
    public async Task Anything_else_that_is_too_large_ends_the_peer(MessageKind kind, int size)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: Limited(256));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync(RawPeer.Frame(kind, 99, 0, new byte[size]));

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.FrameTooLarge) == 1);
    }

    private static MessageHostOptions Limited(int size) => new() { MessageLimits = new MessageLimits { MaxMessageSize = size } };

    private static MessageContract<Ping> WithFields(int count, int version) => new(
        90,
        new BlittableSerializer<Ping>(),
        version: version,
        shape: new MessageShape([.. Enumerable.Range(1, count).Select(i => $"Field{i}")], [.. Enumerable.Range(1, count).Select(i => (ulong)i << 32)]));
}
