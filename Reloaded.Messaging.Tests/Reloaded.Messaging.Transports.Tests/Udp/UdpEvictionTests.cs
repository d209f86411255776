using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The end of a connection for a newer one, while the sweep looks at the same connection.</summary>
public sealed class UdpEvictionTests
{
    private const int MaxWaiting = 1024;
    private const int Evictions = 500;

    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(20); // below the rate of offers

    [Fact]
    public async Task Listener_whose_socket_fails_counts_the_failure_and_ends()
    {
        var context = new TransportContext();
        Exception? failure = null;
        context.Datagrams.Failed += e => failure = e;
        await using var listener = UdpListeners.Listen(context);

        listener.Stop(SocketError.NetworkDown);

        Assert.Contains("NetworkDown", failure!.Message, StringComparison.Ordinal);
        Assert.Equal(1, context.Datagrams.GetDropped(DatagramDropReason.Failed));
        Assert.Null(await listener.AcceptAsync(default).AsTask().InTime());
    }

    [Fact]
    public async Task Eviction_during_a_sweep_with_a_full_queue_leaves_no_connection_behind()
    {
        var time = new SweepingTime();
        var context = new TransportContext { MaxUnauthenticated = 1, HandshakeTimeout = TimeSpan.FromTicks(1), TimeProvider = time };
        await using var listener = UdpListeners.Listen(context);
        using var client = new UnauthenticatedClient(listener.Endpoint);
        for (var i = 0; i < MaxWaiting; i++)
            await ConnectAsync(client, time);
        using var stopping = new CancellationTokenSource();
        var sweeping = Task.Run(() =>
        {
            while (!stopping.IsCancellationRequested)
                time.Sweep();
        });

        for (var i = 0; i < Evictions; i++)
            await ConnectAsync(client, time);
        await stopping.CancelAsync();
        await sweeping.InTime();

        Assert.Equal(MaxWaiting + 1, listener.SessionCount);
        Assert.Equal(Evictions - 1, listener.Counts.GetDropped(DatagramDropReason.TooManyUnauthenticated));
    }

    private static async Task ConnectAsync(UnauthenticatedClient client, SweepingTime time)
    {
        time.Pass(s_step);
        await client.SendAsync(await client.GetCookieAsync());
        Assert.Equal(DatagramFormat.Accept, await client.ReceiveAsync(DatagramFormat.Accept));
    }

    /// <summary>A clock that a test sets, and whose timer a test calls.</summary>
    private sealed class SweepingTime : TimeProvider
    {
        private long _now = TimeSpan.TicksPerDay;
        private Action _sweep = () => { };

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Volatile.Read(ref _now);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _sweep = () => callback(state);
            return base.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        public void Pass(TimeSpan time) => Interlocked.Add(ref _now, time.Ticks);

        public void Sweep() => _sweep();
    }
}
