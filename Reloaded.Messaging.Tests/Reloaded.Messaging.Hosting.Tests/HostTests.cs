using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>What holds for hosts over any transport.</summary>
public abstract partial class HostTests
{
    protected abstract MessageEndpoint NewEndpoint();

    [Fact]
    public async Task Request_of_a_client_receives_its_reply()
    {
        var received = new TaskCompletionSource<string>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server =>
        {
            server.On((in Note note, Peer from) => received.SetResult(note.Text));
            server.OnRequest((Ping ping) => new Pong(ping.Number + 1));
        });

        Assert.Equal(SendStatus.Sent, hosts.Client.Send(new Note("hello")));
        var pong = await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));

        Assert.Equal(new Pong(2), pong);
        Assert.Equal("hello", await received.Task.InTime());
    }

    [Fact]
    public async Task Many_requests_in_flight_each_get_their_own_reply()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnRequest((Ping ping) => new Pong(-ping.Number)));

        var replies = await Task.WhenAll(Enumerable.Range(0, 1000).Select(i => hosts.Client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask()));

        Assert.Equal(Enumerable.Range(0, 1000).Select(i => new Pong(-i)), replies);
    }
}

public sealed class InProcessHostTests : HostTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"test-{Interlocked.Increment(ref s_names)}");
}

public sealed class TcpHostTests : HostTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}

public sealed class UnixHostTests : HostTests
{
    protected override MessageEndpoint NewEndpoint() => SocketFolder.Next();
}

public sealed class PipeHostTests : HostTests, IDisposable
{
    private readonly PipeNames _names = new();

    public void Dispose() => _names.Dispose();

    protected override MessageEndpoint NewEndpoint() => _names.Next();
}
