using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;
using Extensions = Reloaded.Messaging.Polyfills.SocketExtensions;

namespace Reloaded.Messaging.Tests.Polyfills;

/// <summary>Ends of attempts, which this target's own calls have none of.</summary>
public sealed class SocketExtensionsTests
{
    [Fact]
    public async Task Connecting_ends_with_its_token()
    {
        using var full = Listen(backlog: 0); // it takes in one or two, and lets the others wait
        using var source = new CancellationTokenSource();
        var connecting = new Task[8];
        for (var i = 0; i < connecting.Length; i++)
            connecting[i] = Extensions.ConnectAsync(NewSocket(), full.LocalEndPoint!, source.Token).AsTask();

        await source.CancelAsync();

        Assert.True(await EndsByCancellationAsync(connecting[^1]));
        foreach (var one in connecting)
            await EndsByCancellationAsync(one);
    }

    [Fact]
    public async Task Nothing_is_tried_with_a_token_that_was_cancelled()
    {
        using var listening = Listen(backlog: 1);
        using var socket = NewSocket();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Extensions.ConnectAsync(socket, listening.LocalEndPoint!, new CancellationToken(true)).AsTask());

        Assert.False(socket.Connected);
    }

    [Fact]
    public async Task An_accept_that_was_cancelled_loses_nobody()
    {
        using var listening = Listen(backlog: 8);
        using var source = new CancellationTokenSource();
        var first = Extensions.AcceptAsync(listening, source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.InTime());

        using var client = NewSocket();
        await client.ConnectAsync(listening.LocalEndPoint!);
        using var accepted = await Extensions.AcceptAsync(listening, default).AsTask().InTime();

        Assert.Equal(client.LocalEndPoint, accepted.RemoteEndPoint);
    }

    private static Socket NewSocket() => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    private static Socket Listen(int backlog)
    {
        var socket = NewSocket();
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen(backlog);
        return socket;
    }

    /// <summary>Whether it was cancelled; false if it was done before.</summary>
    private static async Task<bool> EndsByCancellationAsync(Task task)
    {
        try
        {
            await task.InTime();
            return false;
        }
        catch (OperationCanceledException)
        {
            return true;
        }
    }
}
