using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

[Message(977)] public sealed record LongQuestion(string Text) : IRequest<Pong>;

/// <summary>The text that the requester reads says why there is no reply.</summary>
public sealed class RequestTextTests
{
    [Fact]
    public async Task Request_that_times_out_names_its_reply_and_its_time()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess("timed-out-request"), server => server.OnRequest(async (Ping _, Peer _, CancellationToken token) =>
        {
            await Task.Delay(Timeout.Infinite, token);
            return default(Pong);
        }));

        var failure = await Assert.ThrowsAsync<TimeoutException>(() => hosts.Client.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(50)).AsTask()).InTime();

        Assert.StartsWith("No Pong arrived within 0.05 s.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_without_a_handler_names_its_type()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess("request-without-handler"));

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask()).InTime();

        Assert.Equal("Ping: No handler is registered for requests of type 1.", fault.Message);
    }

    [Fact]
    public async Task Request_that_is_too_large_names_its_type_and_the_limit()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess("too-large-request"));

        var failure = await Assert.ThrowsAsync<MessageTooLargeException>(() => hosts.Client.RequestAsync(new LongQuestion(new string('x', 2 << 20))).AsTask()).InTime();

        Assert.Contains("LongQuestion takes ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("and the limit MaxMessageSize is 1048576.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Reply_of_another_type_is_named_with_the_expected_one()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping _) => new Note("no pong")));

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync<Ping, Pong>(default).AsTask().InTime());

        Assert.Equal(RequestStatus.InvalidReply, failure.Status);
        Assert.Contains($"(id {MessageContract.GetDeclared<Note>().Type});", failure.Message, StringComparison.Ordinal);
        Assert.Contains($"{typeof(Pong)} (id {MessageContract.GetDeclared<Pong>().Type})", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_before_the_login_names_the_refusal()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.OnAuthenticate<Note, Pong>((_, _, _) => new ValueTask<Pong>(new Pong(1)));
            server.OnRequest((Ping ping) => new Pong(ping.Number));
        });

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        Assert.Equal(RequestStatus.Disconnected, failure.Status);
        Assert.Contains("NotAuthenticated", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Request_on_a_disposed_client_was_not_sent_and_names_the_disposal(bool resends)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Reconnect = new ReconnectOptions { ResendsRequests = resends } });
        await client.DisposeAsync();

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        Assert.Equal(RequestStatus.NotSent, failure.Status);
        Assert.Contains("The client was disposed.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_to_a_lost_peer_was_not_sent_and_names_the_end()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0));
        var gone = hosts.Client.Disconnection();
        await hosts.Server.DisposeAsync();
        await gone.InTime();

        var result = await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime();
        var failure = Assert.Throws<RequestFailedException>(() => result.GetReply());

        Assert.Equal(RequestStatus.NotSent, result.Status);
        Assert.Contains("Goodbye", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_whose_peer_is_lost_before_the_reply_may_have_been_handled()
    {
        var asked = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest<Ping, Pong>(async (_, _, token) =>
        {
            asked.SetResult(true);
            await Task.Delay(-1, token);
            return default;
        }));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        var request = client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await asked.Task.InTime();
        await server.DisposeAsync();
        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => request.InTime());

        Assert.Equal(RequestStatus.Disconnected, failure.Status);
        Assert.Contains("may have handled the request", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_that_returns_null_is_named(bool isAsync)
    {
        var (ping, text) = (MessageContract.GetDeclared<Ping>(), new MessageContract<string>(90, new Utf8TextSerializer()));
        var failed = Signal.New<Exception>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"null-reply-{isAsync}"), server =>
        {
            server.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
            if (isAsync)
                server.OnRequest(ping, text, async (_, _, _) => { await Task.Yield(); return null!; });
            else
                server.OnRequest(ping, text, (in Ping _, Peer _) => null!);
        });

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.Server.RequestAsync(ping, text, default).AsTask().InTime());
        var failure = await failed.Task.InTime();

        Assert.Equal(FaultCode.ReplyFailed, fault.Code);
        Assert.StartsWith("The handler of Ping returned null. ", failure.Message, StringComparison.Ordinal);
        Assert.IsType<ArgumentNullException>(failure.InnerException);
    }

    [Fact]
    public async Task Reply_that_is_too_large_says_so_to_the_requester()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping _) => new Note(new string('x', 2000))));
        var limits = new MessageLimits { MaxMessageSize = 1000 };
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { MessageLimits = limits });

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => client.RequestAsync<Ping, Note>(default).AsTask().InTime());

        Assert.Equal(FaultCode.ReplyFailed, fault.Code);
        Assert.Contains("the limit is 1,000", fault.Message, StringComparison.Ordinal);
    }
}
