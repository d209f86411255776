using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

public sealed class FirstConnectTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"first-connect-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task ConnectAsync_with_a_wrong_token_throws_with_a_reconnect_policy()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Token = new byte[] { 1 } });

        Assert.Equal(DisconnectReason.WrongToken, await ReasonAsync(new MessageHostOptions { Token = new byte[] { 2 }, Reconnect = s_policy }));
    }

    [Fact]
    public async Task ConnectAsync_with_other_contracts_throws_with_a_reconnect_policy()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, server => server.On(Contract(1), (in Ping _, Peer _) => { }));

        Assert.Equal(DisconnectReason.WrongContract, await ReasonAsync(new MessageHostOptions { Reconnect = s_policy }, client => client.On(Contract(2), (in Ping _, Peer _) => { })));
    }

    [Fact]
    public async Task ConnectAsync_after_a_transient_refusal_is_repeated_by_a_reconnect_policy()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });
        var first = await MessageHost.ConnectAsync(_endpoint).InTime();
        var connecting = MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Reconnect = s_policy });
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.TooManyPeers) > 0);

        await first.DisposeAsync();

        await using var second = await connecting.InTime();
        Assert.True(second.Server.IsConnected);
    }

    private static readonly ReconnectOptions s_policy = new() { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20) };

    private static MessageContract<Ping> Contract(int version) => new(90, new BlittableSerializer<Ping>(), version: version);

    private async Task<DisconnectReason> ReasonAsync(MessageHostOptions options, Action<MessageClient>? configure = null) =>
        (await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(_endpoint, configure, options).InTime())).Reason;
}
