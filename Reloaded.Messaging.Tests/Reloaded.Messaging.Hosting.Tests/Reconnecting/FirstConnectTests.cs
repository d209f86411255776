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

    [Fact]
    public async Task Canceled_ConnectAsync_tells_why_the_last_attempt_failed()
    {
        using var canceling = new CancellationTokenSource();
        var policy = new ReconnectOptions
        {
            FirstDelay = TimeSpan.FromMilliseconds(1),
            NextEndpoint = attempt =>
            {
                if (attempt.Number == 2)
                    canceling.Cancel();
                return new ValueTask<MessageEndpoint?>(attempt.Endpoint);
            },
        };

        var canceled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Reconnect = policy }, cancellationToken: canceling.Token).InTime());

        Assert.Equal(canceling.Token, canceled.CancellationToken);
        Assert.IsType<TransportClosedException>(canceled.InnerException);
        Assert.Contains(canceled.InnerException!.Message, canceled.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Canceled_ConnectAsync_tells_why_the_server_refused()
    {
        using var canceling = new CancellationTokenSource();
        await using var server = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });
        await using var first = await MessageHost.ConnectAsync(_endpoint).InTime();
        var connecting = MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Reconnect = s_policy }, cancellationToken: canceling.Token);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.TooManyPeers) > 2);

        canceling.Cancel();

        var canceled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting.InTime());
        Assert.Equal(DisconnectReason.TooManyPeers, Assert.IsType<HandshakeException>(canceled.InnerException).Reason);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_that_its_callback_disposes_opens_no_connection(bool reconnects)
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => MessageHost.ConnectAsync(_endpoint, Dispose, new MessageHostOptions { Reconnect = reconnects ? s_policy : null }).InTime());

        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);

        static void Dispose(MessageClient client) => Deadline.RunAside(() => client.DisposeAsync().AsTask().Wait(Deadline.Length)).Wait(Deadline.Length);
    }

    [Fact]
    public async Task Client_that_is_disposed_while_it_waits_for_its_first_connection_opens_none()
    {
        var (waiting, request) = (default(MessageClient), default(Task<RequestResult<Pong>>));
        await using var server = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });
        var first = await MessageHost.ConnectAsync(_endpoint).InTime();
        var connecting = MessageHost.ConnectAsync(
            _endpoint,
            client => (waiting, request) = (client, client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromHours(1)).AsTask()),
            new MessageHostOptions { Reconnect = s_policy with { ResendsRequests = true } });
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.TooManyPeers) > 1);

        await waiting!.DisposeAsync().AsTask().InTime();
        await first.DisposeAsync();

        var canceled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting.InTime());
        Assert.Equal(DisconnectReason.TooManyPeers, Assert.IsType<HandshakeException>(canceled.InnerException).Reason);
        Assert.Equal(ClientState.Disconnected, waiting.State);
        Assert.Equal(RequestStatus.NotSent, (await request!.InTime()).Status);
        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
    }

    [Fact]
    public async Task Delay_is_kept_after_a_connection_that_ended_because_of_its_rate()
    {
        var dialer = new Dialer(_endpoint, new MessageHostOptions { Reconnect = s_policy });
        var first = dialer.Delay;
        await dialer.TryAgainAsync(new TransportClosedException("A test."), CancellationToken.None).InTime();

        dialer.NoteLost(TimeSpan.FromHours(1), wasTooFast: true);
        Assert.Equal(2 * first, dialer.Delay);
        dialer.NoteLost(TimeSpan.FromHours(1), wasTooFast: false);
        Assert.Equal(first, dialer.Delay);
    }

    [Theory]
    [InlineData(0.0, 750)]
    [InlineData(0.5, 1000)]
    [InlineData(1.0, 1250)]
    public void Delay_differs_by_the_jitter(double random, int milliseconds) =>
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), Dialer.Jittered(TimeSpan.FromSeconds(1), 0.25, random));

    private static readonly ReconnectOptions s_policy = new() { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20) };

    private static MessageContract<Ping> Contract(int version) => new(90, new BlittableSerializer<Ping>(), version: version);

    private async Task<DisconnectReason> ReasonAsync(MessageHostOptions options, Action<MessageClient>? configure = null) =>
        (await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(_endpoint, configure, options).InTime())).Reason;
}
