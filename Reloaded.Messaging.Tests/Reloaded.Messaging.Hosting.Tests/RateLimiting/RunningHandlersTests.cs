using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.RateLimiting;

/// <summary>Asynchronous handlers slow their peer down.</summary>
public sealed class RunningHandlersTests
{
    private const int Most = 4;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Peer_sends_more_than_its_handlers_handle_waits_and_loses_nothing(bool isPumped)
    {
        const int Messages = 500;
        var (running, most, handled) = (0, 0, 0);
        var options = new MessageHostOptions { IsPumped = isPumped, Limits = new HostLimits { MaxRunningHandlers = Most } };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On(async (Ping ping, Peer _) =>
            {
                var now = Interlocked.Increment(ref running);
                lock (options)
                    most = Math.Max(most, now);
                await Task.Yield();
                if (ping.Number % 10 == 0)
                    await Task.Delay(1);
                Interlocked.Decrement(ref running);
                Interlocked.Increment(ref handled);
            }),
            serverOptions: options);
        using var pump = Pump.Of(hosts.Server);

        for (var i = 0; i < Messages; i++)
            Assert.Equal(SendStatus.Sent, await hosts.Client.SendAsync(new Ping(i)).AsTask().InTime());

        await Signal.UntilAsync(() => Volatile.Read(ref handled) == Messages);
        Assert.True(hosts.Client.Server.IsConnected);
        if (!isPumped)
            Assert.InRange(most, 1, Most); // messages that wait for a pump start beyond the limit
    }

    [Fact]
    public async Task Peer_whose_handlers_do_not_end_is_disconnected()
    {
        var options = new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromSeconds(3), PingInterval = TimeSpan.FromMilliseconds(100), Limits = new HostLimits { MaxRunningHandlers = Most } };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.InProcess($"running handlers {Guid.NewGuid()}"),
            static server => server.On(static async (Ping _, Peer _, CancellationToken token) => await Task.Delay(Timeout.Infinite, token)),
            serverOptions: options);
        var gone = hosts.Server.Disconnection();

        hosts.Client.Server.Cork(); // in process, one write is one read: the last message is in the buffer of the server when it stops to read
        for (var i = 0; i <= Most; i++)
            hosts.Client.Send(new Ping(i));
        hosts.Client.Server.Uncork();

        Assert.Equal(DisconnectReason.TooManyRunningHandlers, await gone.InTime());
        await Signal.UntilAsync(() => hosts.Client.Server.GoodbyeReason == DisconnectReason.TooManyRunningHandlers);
        await Signal.UntilAsync(() => hosts.Server.GetStatistics().UnhandledMessages == 1); // counted after the goodbye
    }
}
