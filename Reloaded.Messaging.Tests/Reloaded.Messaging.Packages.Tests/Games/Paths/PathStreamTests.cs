using System.Linq;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Paths;

public sealed class PathStreamTests
{
    private static readonly MessageHostOptions s_options = new() { RequestTimeout = Deadline.Length };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Requests_of_all_sizes_are_replied_over_a_path(bool ofServer)
    {
        var path = new NetworkPath { Jitter = TimeSpan.FromMilliseconds(2), Loss = 1 };
        var options = s_options with { Protection = ProtectionOptions.WithSecret(new byte[32]) };
        await using var server = await MessageHost.ListenAsync(ofServer ? MessageEndpoint.Tcp(0).WithPath(path) : MessageEndpoint.Tcp(0), static host => host.OnRequest(static (Chunk chunk) => chunk), options);
        var endpoint = MessageEndpoint.Tcp(server.Endpoint.Port);
        await using var client = await MessageHost.ConnectAsync(ofServer ? endpoint : endpoint.WithPath(path), options: options);

        foreach (var size in new[] { 0, 1, 16 << 10, 100_000, 1_000_000 })
        {
            var bytes = new byte[size];
            new Random(size).NextBytes(bytes);
            Assert.Equal(bytes, (await client.RequestAsync<Chunk, Chunk>(new Chunk(bytes)).AsTask().InTime()).Bytes);
        }

        Assert.InRange(path.Passed, 10, long.MaxValue);
        Assert.Equal(0, path.Lost);
    }

    [Fact]
    public async Task Event_before_the_end_of_the_client_arrives()
    {
        var arrived = new TaskCompletionSource<int>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => host.On((Ping ping) => arrived.TrySetResult(ping.Number)));
        var path = new NetworkPath();
        var client = await MessageHost.ConnectAsync(server.Endpoint.WithPath(path), options: s_options);
        path.Delay = TimeSpan.FromSeconds(10); // longer than FlushTimeout

        Assert.Equal(SendStatus.Sent, client.Send(new Ping(7)));
        await client.DisposeAsync();

        Assert.Equal(7, await arrived.Task.InTime());
    }

    [Fact]
    public async Task Server_that_is_gone_ends_its_client()
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint.WithPath(new NetworkPath { Delay = TimeSpan.FromMilliseconds(1) }), options: s_options);
        await server.DisposeAsync();

        await Signal.UntilAsync(() => client.State == ClientState.Disconnected);
        Assert.Equal(DisconnectReason.Requested, client.Server.GoodbyeReason);
    }

    [Fact]
    public async Task Bytes_leave_in_their_order_and_in_their_time()
    {
        const int Delay = 40;
        const int Jitter = 30;
        var (time, random, left) = (new ManualTime(), new Random(1), new List<(byte Number, long At)>());
        var path = new NetworkPath { Delay = TimeSpan.FromMilliseconds(Delay), Jitter = TimeSpan.FromMilliseconds(Jitter) };
        var stream = new PathStream(path, time);
        var leaving = Task.Run(async () =>
        {
            while (await stream.LeaveAsync(CancellationToken.None) is { IsEmpty: false } bytes)
            {
                lock (left)
                    left.Add((bytes.Span[0], time.GetTimestamp()));
            }
        });

        var entered = new long[200];
        for (byte number = 0; number < entered.Length; number++)
        {
            entered[number] = time.GetTimestamp();
            await stream.EnterAsync(new[] { number }, CancellationToken.None).AsTask().InTime();
            time.Advance(TimeSpan.FromMilliseconds(random.Next(5)));
        }

        stream.Complete();
        await Signal.UntilAsync(() =>
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
            return leaving.IsCompleted;
        });
        await leaving;

        Assert.Equal(Enumerable.Range(0, entered.Length), left.Select(static one => (int)one.Number));
        Assert.All(left, one => Assert.InRange(one.At - entered[one.Number], TimeSpan.FromMilliseconds(Delay).Ticks, long.MaxValue));
    }

    [Fact]
    public async Task Sender_waits_for_the_rate_of_the_path()
    {
        var time = new ManualTime();
        var stream = new PathStream(new NetworkPath { BytesPerSecond = 100_000 }, time);
        var begin = time.GetTimestamp();
        var entering = stream.EnterAsync(new byte[100_000], CancellationToken.None).AsTask();
        await Signal.UntilAsync(() =>
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
            return entering.IsCompleted;
        });
        await entering;

        // the last piece enters 200 ms before its turn
        Assert.InRange(time.GetElapsedTime(begin).TotalMilliseconds, 780, double.MaxValue);
    }

    [Fact]
    public async Task Canceled_wait_ends()
    {
        using var canceled = new CancellationTokenSource();
        var stream = new PathStream(new NetworkPath { Delay = TimeSpan.FromSeconds(1) }, new ManualTime());
        await stream.EnterAsync(new byte[1], CancellationToken.None);
        var leaving = stream.LeaveAsync(canceled.Token).AsTask();
        await canceled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving.InTime());
    }
}

/// <summary>Bytes of any size.</summary>
[Message(90)]
public sealed record Chunk(byte[] Bytes);
