using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

public sealed class WaitForConnectionTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"wait-for-connection-{Interlocked.Increment(ref s_names)}");
    private readonly MessageHostOptions _reconnects = new() { Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20) } };

    [Fact]
    public async Task Wait_completes_when_the_client_is_connected_again()
    {
        var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: _reconnects);
        Assert.Same(client.Server, await client.WaitForConnectionAsync().InTime());
        Assert.Equal(ClientState.Connected, client.State);
        var (lost, gone) = (client.Server, client.Disconnection());

        await server.DisposeAsync();
        await gone.InTime();
        Assert.Equal(ClientState.Connecting, client.State);
        var waiting = client.WaitForConnectionAsync();
        using var source = new CancellationTokenSource();
        var canceled = client.WaitForConnectionAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled.InTime());
        Assert.False(waiting.IsCompleted);
        await using var next = await MessageHost.ListenAsync(_endpoint);

        var peer = await waiting.InTime();
        Assert.NotSame(lost, peer);
        Assert.Equal(ClientState.Connected, client.State);
    }

    [Fact]
    public async Task Wait_throws_when_the_client_is_disposed()
    {
        var server = await MessageHost.ListenAsync(_endpoint);
        var client = await MessageHost.ConnectAsync(_endpoint, options: _reconnects);
        var gone = client.Disconnection();
        await server.DisposeAsync();
        await gone.InTime();
        var waiting = client.WaitForConnectionAsync();

        await client.DisposeAsync();

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => waiting.InTime());
        Assert.Contains("The client was disposed.", failure.Message, StringComparison.Ordinal);
        Assert.Equal(ClientState.Disconnected, client.State);
    }

    [Fact]
    public async Task Wait_throws_when_the_client_does_not_reconnect()
    {
        var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var gone = client.Disconnection();
        await server.DisposeAsync();
        await gone.InTime();

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => client.WaitForConnectionAsync().InTime());

        Assert.Contains("Goodbye", failure.Message, StringComparison.Ordinal);
        Assert.Equal(ClientState.Disconnected, client.State);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_in_its_callback_is_connecting_and_a_wait_ends_with_the_connection(bool reconnects)
    {
        var (state, waiting) = (default(ClientState?), default(Task<Peer>));
        await using var server = await MessageHost.ListenAsync(_endpoint);

        await using var client = await MessageHost.ConnectAsync(
            _endpoint,
            client => (state, waiting) = (client.State, client.WaitForConnectionAsync()),
            reconnects ? _reconnects : null).InTime();

        Assert.Equal(ClientState.Connecting, state);
        Assert.Same(client.Server, await waiting!.InTime());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Wait_throws_when_the_first_connection_fails(bool reconnects)
    {
        var waiting = default(Task<Peer>);
        await using var server = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Token = new byte[16] });

        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(_endpoint, client => waiting = client.WaitForConnectionAsync(), reconnects ? _reconnects : null).InTime());

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => waiting!.InTime());
        Assert.Contains("The client was disposed.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wait_throws_when_the_policy_gives_up()
    {
        var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Reconnect = _reconnects.Reconnect! with { NextEndpoint = static _ => default } });

        await server.DisposeAsync();

        await Signal.UntilAsync(() => client.State == ClientState.Disconnected);
        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => client.WaitForConnectionAsync().InTime());
        Assert.Contains("ReconnectOptions.NextEndpoint", failure.Message, StringComparison.Ordinal);
    }
}
