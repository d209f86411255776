using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The table "When something goes wrong" of docs/getting-started.md.</summary>
public sealed class GettingStartedPageTests
{
    private static readonly MessageContract<Ping> s_old = new(70, new BlittableSerializer<Ping>(), shape: new MessageShape(["Number"], [1]));
    private static readonly MessageContract<Ping> s_new = new(70, new BlittableSerializer<Ping>(), shape: new MessageShape(["Number"], [2]));

    [Fact]
    public async Task Connecting_without_server_throws_with_endpoint()
    {
        var endpoint = MessageEndpoint.InProcess($"absent-{Guid.NewGuid():N}");

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(endpoint).InTime());

        Assert.Contains(endpoint.ToString(), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_that_is_declared_differently_throws_and_event_names_field()
    {
        var found = Signal.New<ContractMismatch>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest(s_old, MessageContract.GetDeclared<Pong>(), (in Ping ping, Peer _) => new Pong(ping.Number)));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.ContractMismatched += (_, mismatch) => found.TrySetResult(mismatch)).InTime();

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => client.Server.RequestAsync(s_new, MessageContract.GetDeclared<Pong>(), new Ping(1)).AsTask().InTime());

        Assert.Equal(RequestStatus.ContractMismatch, failure.Status);
        Assert.Contains("the field Number", (await found.Task.InTime()).Difference, StringComparison.Ordinal);
        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, client => client.On(s_new, (in Ping _, Peer _) => { })).InTime());
        Assert.Equal(DisconnectReason.WrongContract, refusal.Reason);
    }

    [Fact]
    public async Task Request_whose_handler_throws_is_fault_and_event_of_server()
    {
        var failed = Signal.New<HandlerFailure>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.HandlerFailed += failed.SetResult;
            server.OnRequest<Ping, Pong>(_ => throw new InvalidOperationException());
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        await Assert.ThrowsAsync<RequestFaultException>(() => client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        Assert.IsType<InvalidOperationException>((await failed.Task.InTime()).Exception);
    }

    [Fact]
    public async Task Request_without_reply_throws_after_timeout_of_five_seconds()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest<Ping, Pong>(async (_, _, canceled) =>
        {
            await Task.Delay(Timeout.Infinite, canceled);
            return default;
        }));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        await Assert.ThrowsAsync<TimeoutException>(() => client.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(50)).AsTask().InTime());

        Assert.Equal(TimeSpan.FromSeconds(5), client.Options.RequestTimeout);
    }

    [Fact]
    public async Task Reply_follows_the_handlers_of_earlier_events()
    {
        var handled = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"test-{Guid.NewGuid():N}"), server =>
        {
            server.On((in Note _, Peer _) =>
            {
                Thread.Yield();
                handled++;
            });
            server.OnRequest<Ping, Pong>(ping => new Pong(ping.Number));
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        Assert.Single(server.Peers);

        for (var i = 1; i <= 100; i++)
        {
            Assert.Equal(SendStatus.Sent, client.Send(new Note("")));
            await client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime();
            Assert.Equal(i, handled);
        }
    }

    [Fact]
    public async Task Event_without_handler_is_sent_and_counted_by_server()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.Sent, await client.SendAsync(new Ping(1)).AsTask().InTime());

        await Signal.UntilAsync(() => server.GetCount(DispatchStatus.NoHandler) == 1);
    }

    [Fact]
    public async Task Sending_to_slow_reader_is_full_or_waits()
    {
        using var canRead = new ManualResetEventSlim();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Note _, Peer _) => canRead.WaitInTime()));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var note = new Note(new string('x', 60_000));

        await client.Server.FillAsync(note);

        var waiting = client.SendAsync(note).AsTask();
        Assert.False(waiting.IsCompleted);
        canRead.Set();
        Assert.Equal(SendStatus.Sent, await waiting.InTime());
    }
}
