using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Streaming;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.RateLimiting;

/// <summary>A peer that sends more than its rate under <see cref="OverflowAction.Drop"/>: every kind of message is limited.</summary>
public sealed class FloodTests
{
    private const int Rate = 50;

    private readonly ManualTime _time = new();

    [Theory]
    [InlineData(MessageKind.Event, 1u, new byte[] { 1, 0, 0, 0 })]
    [InlineData(MessageKind.Request, 1u, new byte[] { 1, 0, 0, 0 })]
    [InlineData(MessageKind.Reply, 2u, new byte[] { 1, 0, 0, 0 })]
    [InlineData(MessageKind.Fault, 2u, new byte[] { 1 })]
    [InlineData(MessageKind.Control, 1u, new byte[] { 1 })]
    [InlineData(MessageKind.Control, 2u, new byte[] { 1, 0, 0, 0, 0, 0, 0, 0 })]
    [InlineData(MessageKind.Request, LibraryTypes.StreamPull, new byte[] { 1, 0, 0, 0, 0, 0, 0, 0 })]
    [InlineData(MessageKind.Control, 99u, new byte[] { 1 })]
    public async Task Message_over_the_rate_is_dropped_and_counted(MessageKind kind, uint type, byte[] payload)
    {
        await using var server = await ListenAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();

        await raw.SendAsync([.. Enumerable.Repeat(RawPeer.Frame(kind, type, kind is MessageKind.Event or MessageKind.Control ? 0u : 7u, payload), 2 * Rate).SelectMany(frame => frame)]);

        await Signal.UntilAsync(() => server.GetStatistics().OverMessageRate == Rate);
        Assert.Single(server.Peers);
    }

    [Fact]
    public async Task Hello_over_the_rate_disconnects()
    {
        await using var server = await ListenAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        var gone = server.Disconnection();

        await raw.SendAsync([.. Enumerable.Repeat(RawPeer.Announcement(), 2 * Rate).SelectMany(frame => frame)]);

        Assert.Equal(DisconnectReason.TooManyMessages, await gone.InTime());
    }

    [Fact]
    public async Task Reply_over_the_rate_to_a_request_that_waits_arrives() =>
        Assert.Equal(new Pong(5), await AnswerOverRateAsync(static request => RawPeer.Frame(MessageKind.Reply, 2, request.CorrelationId, 5, 0, 0, 0)));

    [Fact]
    public async Task Fault_over_the_rate_names_the_request_without_handler()
    {
        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => AnswerOverRateAsync(
            static request => RawPeer.Frame(MessageKind.Fault, request.Type, request.CorrelationId, Fault.Write(FaultCode.NoHandler, "No handler.", 100))));

        Assert.Equal("Ping: No handler.", fault.Message);
    }

    [Fact]
    public async Task Goodbye_over_the_rate_is_read()
    {
        await using var server = await ListenAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        var gone = server.Disconnection();

        await raw.SendAsync(
        [
            .. Enumerable.Repeat(RawPeer.Frame(MessageKind.Event, 1, 0, 1, 0, 0, 0), Rate).SelectMany(frame => frame),
            .. RawPeer.Frame(MessageKind.Control, 3, 0),
        ]);

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
    }

    [Fact]
    public async Task Close_of_reports_over_the_rate_ends_them()
    {
        await using var server = await ListenAsync(static host => host.OnRequest(static (Pack _, IProgress<Done> _, CancellationToken _) => Task.FromResult(new Packed(0))));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();

        await raw.SendAsync(
        [
            .. Pull(1, StreamPull.OpensReports),
            .. Pull(2, StreamPull.OpensReports),
            .. Enumerable.Repeat(RawPeer.Frame(MessageKind.Event, 1, 0, 1, 0, 0, 0), Rate - 2).SelectMany(frame => frame),
            .. Pull(3, 0),
        ]);

        Assert.Equal([(MessageKind.Reply, 1u), (MessageKind.Reply, 2u), (MessageKind.Fault, 3u)], [await AnswerAsync(), await AnswerAsync(), await AnswerAsync()]);

        static byte[] Pull(uint correlationId, byte action) => RawPeer.Frame(MessageKind.Request, LibraryTypes.ReportPull, correlationId, 9, 0, 0, 0, action, 0, 0, 0);

        async Task<(MessageKind, uint)> AnswerAsync()
        {
            var (header, _) = await raw.ReceiveAsync();
            return (header.Kind, header.CorrelationId);
        }
    }

    [Fact]
    public async Task Dropped_request_allocates_nothing()
    {
        await using var server = await ListenAsync();
        var allocated = new List<(int Thread, long Bytes)>(4 * Rate);
        using var tap = server.Tap((in TappedMessage message) =>
        {
            if (message.Direction == MessageDirection.Received)
                allocated.Add((Environment.CurrentManagedThreadId, GC.GetAllocatedBytesForCurrentThread()));
        });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();

        await raw.SendAsync([.. Enumerable.Repeat(RawPeer.Request(new Ping(1), 7), 4 * Rate).SelectMany(frame => frame)]);
        await Signal.UntilAsync(() => server.GetStatistics().OverMessageRate == 3 * Rate);

        var drops = allocated.Skip(2 * Rate).Zip(allocated.Skip((2 * Rate) + 1), static (before, after) => (Before: before, After: after)).Where(static pair => pair.Before.Thread == pair.After.Thread);
        Assert.Equal(0, drops.Min(static pair => pair.After.Bytes - pair.Before.Bytes));
    }

    /// <summary>Lets a peer answer a request after as many events as the rate allows.</summary>
    private async Task<Pong> AnswerOverRateAsync(Func<MessageHeader, byte[]> answer)
    {
        await using var server = await ListenAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        var asking = peer.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        var (request, _) = await raw.ReceiveAsync();

        await raw.SendAsync([.. Enumerable.Repeat(RawPeer.Frame(MessageKind.Event, 1, 0, 1, 0, 0, 0), Rate).SelectMany(frame => frame), .. answer(request)]);

        return await asking.InTime();
    }

    private Task<MessageServer> ListenAsync(Action<MessageServer>? configure = null) => MessageHost.ListenAsync(MessageEndpoint.Tcp(0), configure, new MessageHostOptions
    {
        Limits = new HostLimits { MessagesPerSecond = Rate, OverflowAction = OverflowAction.Drop },
        TimeProvider = _time,
        PingInterval = TimeSpan.FromHours(1),
        KeepAliveTimeout = TimeSpan.FromHours(2),
        RequestTimeout = TimeSpan.FromHours(1),
    });
}
