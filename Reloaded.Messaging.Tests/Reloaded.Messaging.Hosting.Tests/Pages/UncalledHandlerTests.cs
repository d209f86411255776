using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The table of errors.md for a handler that is not called. Each row is provoked, and its counter read.</summary>
public sealed class UncalledHandlerTests
{
    private static readonly Dictionary<string, Func<Task>> s_rows = new()
    {
        ["Did `Send` return `Sent`?"] = SendToADisconnectedPeerAsync,
        ["Is a handler registered for the type, on the receiver?"] = SendWithoutHandlerAsync,
        ["Is an event handled by `On`, and a request by `OnRequest`?"] = SendAnEventToARequestHandlerAsync,
        ["Does the serializer accept the payload?"] = SendAnInvalidPayloadAsync,
        ["Does the handler throw?"] = SendToAHandlerThatThrowsAsync,
        ["Is the host pumped, and is `Pump` called?"] = SendToAHostThatIsNotPumpedAsync,
        ["Is the peer above its rate, with `OverflowAction.Drop`?"] = SendAboveTheRateAsync,
        ["Over UDP: was the datagram dropped?"] = SendAMalformedDatagramAsync,
    };

    public static TheoryData<string> Rows => [.. s_rows.Keys];

    [Fact]
    public void Every_row_of_the_page_has_a_test()
    {
        var page = File.ReadAllText(Page.PathOf("errors.md")).ReplaceLineEndings("\n");
        var section = page.Split("\n## ").Single(static section => section.StartsWith("My handler is not called", StringComparison.Ordinal));

        var rows = section.Split('\n').Where(static line => line.StartsWith("| ", StringComparison.Ordinal)).Skip(1).Select(static line => line.Split('|')[1].Trim());

        Assert.Equal(s_rows.Keys, rows);
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public Task Counter_of_the_row_counts(string row) => s_rows[row]();

    private static async Task SendToADisconnectedPeerAsync()
    {
        await using var server = await MessageHost.ListenAsync(Next());
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        await client.Server.DisconnectAsync().InTime();

        Assert.Equal(SendStatus.Closed, client.Send(new Ping(1)));
        Assert.Equal(1, client.Server.GetCount(SendStatus.Closed));
    }

    private static async Task SendWithoutHandlerAsync()
    {
        await using var server = await MessageHost.ListenAsync(Next());
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.Sent, client.Send(new Ping(1)));
        await Signal.UntilAsync(() => server.GetCount(DispatchStatus.NoHandler) == 1);
    }

    private static async Task SendAnEventToARequestHandlerAsync()
    {
        await using var server = await MessageHost.ListenAsync(Next(), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.Sent, client.Send(new Ping(1)));
        await Signal.UntilAsync(() => server.GetStatistics().MisdirectedMessages == 1);
    }

    private static async Task SendAnInvalidPayloadAsync()
    {
        await using var server = await MessageHost.ListenAsync(Next(), server => server.On((in Ping _, Peer _) => { }));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        using var packed = new MessageWriter().PackRaw(new MessageHeader(MessageContract.GetDeclared<Ping>().Type), [1]);

        Assert.Equal(SendStatus.Sent, client.Server.Send(packed));
        await Signal.UntilAsync(() => server.GetCount(DispatchStatus.InvalidPayload) == 1);
    }

    private static async Task SendToAHandlerThatThrowsAsync()
    {
        var failed = Signal.New<HandlerFailure>();
        await using var server = await MessageHost.ListenAsync(Next(), server =>
        {
            server.HandlerFailed += failure => failed.TrySetResult(failure);
            server.On((in Ping _, Peer _) => throw new InvalidOperationException("A test."));
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.Sent, client.Send(new Ping(1)));
        Assert.Equal("A test.", (await failed.Task.InTime()).Exception.Message);
        Assert.Equal(1, server.GetStatistics().HandlerFailures);
    }

    private static async Task SendToAHostThatIsNotPumpedAsync()
    {
        var stalled = Signal.New<PumpStall>();
        await using var server = await MessageHost.ListenAsync(
            Next(),
            server =>
            {
                server.PumpStalled += stall => stalled.TrySetResult(stall);
                server.On((in Ping _, Peer _) => { });
            },
            new MessageHostOptions { IsPumped = true });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.Sent, client.Send(new Ping(1)));
        Assert.Equal(1, (await stalled.Task.InTime()).Messages);
        Assert.Equal(1, server.GetStatistics().PumpStalls);
    }

    private static async Task SendAboveTheRateAsync()
    {
        var limits = new HostLimits { MessagesPerSecond = 1, OverflowAction = OverflowAction.Drop };
        await using var server = await MessageHost.ListenAsync(Next(), server => server.On((in Ping _, Peer _) => { }), new MessageHostOptions { Limits = limits });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        for (var i = 0; i < 20; i++)
            Assert.Equal(SendStatus.Sent, client.Send(new Ping(i)));
        await Signal.UntilAsync(() => server.GetStatistics().OverMessageRate > 0);
    }

    private static async Task SendAMalformedDatagramAsync()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));
        using var socket = new UdpClient();

        await socket.SendAsync(new byte[] { 0xFF }, new IPEndPoint(IPAddress.Loopback, server.Endpoint.Port));
        await Signal.UntilAsync(() => server.GetCount(DatagramDropReason.Malformed) == 1);
    }

    private static MessageEndpoint Next() => MessageEndpoint.InProcess($"uncalled-{Guid.NewGuid():N}");
}
