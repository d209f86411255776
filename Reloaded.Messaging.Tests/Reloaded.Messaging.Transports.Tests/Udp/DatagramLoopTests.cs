using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What a flood or an exception does to the thread that receives datagrams.</summary>
public sealed class DatagramLoopTests
{
    [Fact]
    public async Task Flood_that_never_ends_yields_the_thread_after_some_datagrams()
    {
        const int Most = 1000;
        using var socket = Bind();
        var receiver = new Refilling(socket, Most);
        new DatagramLoop(socket, receiver, 100).Start();

        socket.SendTo(new byte[1], socket.LocalEndPoint!);
        await receiver.Done.Task.InTime();

        Assert.InRange(receiver.LongestRun, 1, DatagramLoop.MaxPerRun);
    }

    [Fact]
    public async Task Receiver_that_throws_gets_the_exception_and_the_next_datagram()
    {
        using var socket = Bind();
        var receiver = new Throwing();
        new DatagramLoop(socket, receiver, 100).Start();

        for (var i = 0; i < 3; i++)
            socket.SendTo(new byte[1], socket.LocalEndPoint!);

        await Signal.UntilAsync(() => receiver.Failures == 3);
    }

    [Fact]
    public async Task Loop_continues_after_any_number_of_refused_datagrams()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows and Wine report refused datagrams in another way. Run the test on Linux or macOS.");
        using var remote = Bind();
        var address = (IPEndPoint)remote.LocalEndPoint!;
        remote.Dispose(); // datagrams to this port are refused now
        using var socket = Bind();
        await socket.ConnectAsync(address);
        var receiver = new Throwing();
        new DatagramLoop(socket, receiver, 100).Start();

        for (var i = 0; i < 500; i++)
            await SendAnywayAsync(socket);
        using var later = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        later.Bind(address);
        later.SendTo(new byte[1], socket.LocalEndPoint!);

        await Signal.UntilAsync(() => receiver.Failures == 1);
        Assert.Null(receiver.Stopped);
    }

    /// <summary>Sends a datagram, also if the system reports that an earlier one was refused.</summary>
    private static async Task SendAnywayAsync(Socket socket)
    {
        await Task.Delay(1); // so that the loop receives most of the reports
        try
        {
            socket.Send(new byte[1]);
        }
        catch (SocketException e)
        {
            Assert.Equal(SocketError.ConnectionRefused, e.SocketErrorCode);
        }
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    /// <summary>Sends itself a datagram for each that it gets. Counts how many it gets within one work item: the pool clears what an AsyncLocal holds after each.</summary>
    private sealed class Refilling(Socket socket, int most) : IDatagramReceiver
    {
        private readonly AsyncLocal<int> _run = new();
        private int _count;

        public TaskCompletionSource<bool> Done { get; } = Signal.New<bool>();

        public int LongestRun { get; private set; }

        public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from)
        {
            LongestRun = Math.Max(LongestRun, ++_run.Value);
            if (++_count < most)
                socket.SendTo(datagram, socket.LocalEndPoint!);
            else
                Done.SetResult(true);
            return null;
        }

        public void Fail(Exception exception) => Done.TrySetException(exception);

        public void Stop(SocketError reason) => Done.TrySetCanceled();
    }

    private sealed class Throwing : IDatagramReceiver
    {
        private int _failures;

        public int Failures => Volatile.Read(ref _failures);

        public SocketError? Stopped { get; private set; }

        public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from) => throw new NotSupportedException();

        public void Fail(Exception exception) => Interlocked.Increment(ref _failures);

        public void Stop(SocketError reason) => Stopped = reason;
    }
}
