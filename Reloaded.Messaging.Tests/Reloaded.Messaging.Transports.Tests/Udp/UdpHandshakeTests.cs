using System.Linq;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

public sealed class UdpHandshakeTests
{
    /// <summary>A flooded server may lose most of the first messages.</summary>
    [Fact]
    public async Task Client_without_an_answer_asks_ten_times_in_the_first_second_and_then_twice_a_second()
    {
        using var server = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        server.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(server.LocalEndPoint!);
        using var enough = new CancellationTokenSource();
        var waits = new List<TimeSpan>();
        var time = new LeapingTime(wait =>
        {
            waits.Add(wait);
            if (waits.Count == 14)
                enough.Cancel();
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => new UdpHandshake(socket, null, new DatagramCounters(), time).RunAsync(enough.Token).InTime());

        Assert.Equal([.. Enumerable.Repeat(100.0, 10), .. Enumerable.Repeat(500.0, 4)], waits.ConvertAll(static wait => wait.TotalMilliseconds));
        Assert.Equal(waits.Count * DatagramFormat.HelloSize, Receive(server, waits.Count));
    }

    private static int Receive(Socket server, int datagrams)
    {
        server.ReceiveTimeout = (int)Deadline.Length.TotalMilliseconds;
        var buffer = new byte[2048];
        return Enumerable.Range(0, datagrams).Sum(_ => server.Receive(buffer));
    }

    /// <summary>A clock at which each timer is due at once.</summary>
    private sealed class LeapingTime(Action<TimeSpan> created) : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Volatile.Read(ref _now);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            created(dueTime);
            Interlocked.Add(ref _now, dueTime.Ticks);
            return base.CreateTimer(callback, state, TimeSpan.Zero, period);
        }
    }
}
