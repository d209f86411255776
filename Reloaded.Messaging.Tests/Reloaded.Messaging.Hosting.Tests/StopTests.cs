using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class StopTests
{
    private static readonly MessageHostOptions s_short = new() { StopTimeout = TimeSpan.FromMilliseconds(50) };

    public static TheoryData<string> Kinds => ["in-process", "tcp", "ws", "unix", "pipe", "shm"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public Task StopAsync_waits_for_a_running_handler_and_refuses_new_requests(string kind) => StopAmidARequestAsync(NewEndpoint(kind));

    internal static async Task StopAmidARequestAsync(MessageEndpoint endpoint)
    {
        var begun = Signal.New<bool>();
        var goesOn = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(endpoint, host => host.OnRequest(async (Ping ping, Peer _, CancellationToken token) =>
        {
            begun.TrySetResult(true);
            await goesOn.Task;
            return new Pong(token.IsCancellationRequested ? -1 : ping.Number);
        }));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var disconnection = client.Disconnection();
        var first = client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await begun.Task.InTime();

        var stop = server.StopAsync();
        await Signal.UntilAsync(() => server.IsStopping);
        var refused = await client.TryRequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime();
        Assert.False(stop.IsCompleted);
        goesOn.SetResult(true);

        Assert.Equal(1, (await first.InTime()).Number);
        await stop.InTime();
        Assert.Equal((RequestStatus.Faulted, FaultCode.Stopping), (refused.Status, refused.Fault!.Code));
        Assert.Equal(DisconnectReason.Goodbye, await disconnection.InTime());
        Assert.Equal(0, server.GetStatistics().LostFrames);
    }

    [Fact]
    public async Task StopAsync_waits_for_a_synchronous_handler_and_handles_events_meanwhile()
    {
        using var goesOn = new ManualResetEventSlim();
        var begun = Signal.New<bool>();
        var noted = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(NewEndpoint("tcp"), host =>
        {
            host.OnRequest((Ping ping) =>
            {
                begun.TrySetResult(true);
                goesOn.WaitInTime();
                return new Pong(ping.Number);
            });
            host.On((Note _) => noted.TrySetResult(true));
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        await using var other = await MessageHost.ConnectAsync(server.Endpoint);
        var asked = client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await begun.Task.InTime();

        var stop = server.StopAsync();
        await Signal.UntilAsync(() => server.IsStopping);
        other.Send(new Note("still handled"));
        await noted.Task.InTime();
        Assert.False(stop.IsCompleted);
        goesOn.Set();

        Assert.Equal(1, (await asked.InTime()).Number);
        await stop.InTime();
    }

    [Fact]
    public async Task StopAsync_waits_for_a_synchronous_handler_in_Pump()
    {
        using var goesOn = new ManualResetEventSlim();
        var begun = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(
            NewEndpoint("tcp"),
            host => host.OnRequest((Ping ping) =>
            {
                begun.TrySetResult(true);
                goesOn.WaitInTime();
                return new Pong(ping.Number);
            }),
            new MessageHostOptions { IsPumped = true, StopTimeout = TimeSpan.FromDays(1) });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var asked = client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await Signal.UntilAsync(() => server.Inbox!.Count == 1);
        var pump = Task.Run(() => server.Pump());
        await begun.Task.InTime();

        await EndsAfterAsync(server, goesOn.Set);

        Assert.Equal(1, (await asked.InTime()).Number);
        await pump.InTime();
    }

    [Fact]
    public async Task StopAsync_waits_for_a_synchronous_handler_of_a_peer_that_has_disconnected()
    {
        using var goesOn = new ManualResetEventSlim();
        var begun = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(
            NewEndpoint("tcp"),
            host => host.On((Note _) =>
            {
                begun.TrySetResult(true);
                goesOn.WaitInTime();
            }),
            new MessageHostOptions { StopTimeout = TimeSpan.FromDays(1) });
        var connection = server.Connection();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        client.Send(new Note("save the game"));
        await begun.Task.InTime();
        (await connection.InTime()).Connection.End(DisconnectReason.NotReading);

        await EndsAfterAsync(server, goesOn.Set);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handler_that_does_not_end_is_canceled_after_StopTimeout_or_by_the_token(bool byToken)
    {
        var begun = Signal.New<bool>();
        var canceled = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(NewEndpoint("tcp"), host => host.OnRequest(async (Ping _, Peer _, CancellationToken token) =>
        {
            begun.TrySetResult(true);
            await Task.Delay(Timeout.Infinite, token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            canceled.TrySetResult(true);
            return new Pong(1);
        }), byToken ? s_short with { StopTimeout = TimeSpan.FromDays(1) } : s_short);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var asked = client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await begun.Task.InTime();

        using var source = new CancellationTokenSource();
        var stop = server.StopAsync(source.Token);
        if (byToken)
            await source.CancelAsync();
        await stop.InTime();

        await canceled.Task.InTime();
        Assert.Equal(RequestStatus.Disconnected, (await asked.InTime()).Status);
    }

    [Fact]
    public async Task StopAsync_of_a_client_waits_for_its_handler()
    {
        var begun = Signal.New<bool>();
        var goesOn = Signal.New<bool>();
        await using var server = await MessageHost.ListenAsync(NewEndpoint("tcp"));
        var connection = server.Connection();
        var client = await MessageHost.ConnectAsync(server.Endpoint, host => host.OnRequest(async (Ping ping) =>
        {
            begun.TrySetResult(true);
            await goesOn.Task;
            return new Pong(ping.Number);
        }));
        var asked = (await connection.InTime()).RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        await begun.Task.InTime();

        var stop = client.StopAsync();
        goesOn.SetResult(true);

        Assert.Equal(1, (await asked.InTime()).Number);
        await stop.InTime();
        Assert.Equal(ClientState.Disconnected, client.State);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task StopAsync_waits_for_the_handler_of_a_peer_that_has_disconnected(bool isPumped)
    {
        var (begun, goesOn) = (Signal.New<bool>(), Signal.New<bool>());
        var server = await MessageHost.ListenAsync(
            NewEndpoint("tcp"),
            host => host.On(async (Note _) =>
            {
                begun.TrySetResult(true);
                await goesOn.Task;
            }),
            new MessageHostOptions { IsPumped = isPumped, StopTimeout = TimeSpan.FromDays(1) });
        var gone = server.Disconnection();
        await using (var client = await MessageHost.ConnectAsync(server.Endpoint))
        {
            client.Send(new Note("save the game"));
            await (isPumped ? Signal.UntilAsync(() => server.Inbox!.Count == 1) : begun.Task.InTime());
        }

        await gone.InTime();
        await PumpUntilAsync(() => begun.Task.IsCompleted);
        var stop = server.StopAsync();
        await Task.WhenAny(stop, Task.Delay(200)); // a stop that does not wait ends within this time
        Assert.False(stop.IsCompleted);
        goesOn.SetResult(true);

        await PumpUntilAsync(() => stop.IsCompleted);
        await stop.InTime();
        Assert.False(server.Registry.HasWork);

        Task PumpUntilAsync(Func<bool> condition) => Signal.UntilAsync(() =>
        {
            if (isPumped)
                server.Pump();
            return condition();
        });
    }

    [Fact]
    public async Task StopAsync_waits_for_an_open_stream_and_refuses_another()
    {
        var goesOn = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(NewEndpoint("tcp"), host => host.OnStream((Ping ping, CancellationToken token) => CountAsync(ping.Number, goesOn.Task, token)));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        await using var items = client.StreamAsync<Ping, Pong>(new Ping(1000)).GetAsyncEnumerator();
        Assert.True(await items.MoveNextAsync().AsTask().InTime());

        var stop = server.StopAsync();
        await Signal.UntilAsync(() => server.IsStopping);
        var refused = await Assert.ThrowsAsync<RequestFaultException>(async () => await client.StreamAsync<Ping, Pong>(new Ping(1)).GetAsyncEnumerator().MoveNextAsync()).InTime();
        goesOn.SetResult(true);
        var count = 1;
        while (await items.MoveNextAsync().AsTask().InTime())
            count++;

        await stop.InTime();
        Assert.Equal((1000, FaultCode.Stopping), (count, refused.Code));
    }

    [Fact]
    public async Task Request_that_a_stopping_server_refused_is_sent_again_to_the_next_server()
    {
        var begun = Signal.New<bool>();
        var goesOn = Signal.New<bool>();
        var first = await MessageHost.ListenAsync(NewEndpoint("tcp"), host => host.OnRequest(async (Ping ping) =>
        {
            begun.TrySetResult(true);
            await goesOn.Task;
            return new Pong(ping.Number + 100);
        }));
        await using var second = await MessageHost.ListenAsync(NewEndpoint("tcp"), static host => host.OnRequest(static (Ping ping) => new Pong(ping.Number + 200)));
        await using var client = await MessageHost.ConnectAsync(first.Endpoint, options: new MessageHostOptions
        {
            Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), ResendsRequests = true, NextEndpoint = _ => new(second.Endpoint) },
        });
        var running = client.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMinutes(1)).AsTask();
        await begun.Task.InTime();

        var stop = first.StopAsync();
        await Signal.UntilAsync(() => first.IsStopping);
        var refused = client.RequestAsync<Ping, Pong>(new Ping(2), TimeSpan.FromMinutes(1)).AsTask();
        await Signal.UntilAsync(() => first.GetStatistics().FaultsSent == 1);
        goesOn.SetResult(true);

        Assert.Equal(101, (await running.InTime()).Number);
        Assert.Equal(202, (await refused.InTime()).Number);
        await stop.InTime();
    }

    [Theory]
    [InlineData(false, 8192, 19)]
    [InlineData(true, 8192, 20)]
    [InlineData(true, 1, 20)]
    public async Task Messages_that_were_received_and_not_handled_are_counted(bool isPumped, int capacity, int unhandled)
    {
        using var goesOn = new ManualResetEventSlim();
        var begun = Signal.New<bool>();
        var server = await MessageHost.ListenAsync(
            NewEndpoint("tcp"),
            host => host.On((Ping _) =>
            {
                begun.TrySetResult(true);
                goesOn.WaitInTime();
            }),
            new MessageHostOptions { IsPumped = isPumped, PumpCapacity = capacity });
        var reported = 0;
        server.MessagesUnhandled += (_, count) => Interlocked.Add(ref reported, count);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        client.Server.Cork();
        foreach (var number in Enumerable.Range(0, 20))
            client.Send(new Ping(number));
        client.Server.Uncork();
        await Signal.UntilAsync(() => isPumped ? server.Inbox!.Count >= Math.Min(20, capacity) : begun.Task.IsCompleted);

        await server.DisposeAsync().AsTask().InTime();
        goesOn.Set();

        await Signal.UntilAsync(() => server.GetStatistics().UnhandledMessages >= unhandled);
        Assert.Equal(unhandled, server.GetStatistics().UnhandledMessages);
        await Signal.UntilAsync(() => Volatile.Read(ref reported) == unhandled);
    }

    [Fact]
    public async Task DisposeAsync_waits_for_the_channel_of_a_peer_that_left_before()
    {
        var listener = new HeldListener(await NewEndpoint("in-process").ListenAsync(new TransportContext()));
        var server = Servers.Make(listener, new MessageHostOptions { FlushTimeout = TimeSpan.FromMinutes(10) });
        server.Start();
        var gone = server.Disconnection();
        await using (await MessageHost.ConnectAsync(listener.Endpoint))
        {
        }

        await gone.InTime();
        await listener.Freeing.Task.InTime();
        var disposal = server.DisposeAsync().AsTask();
        await Task.WhenAny(disposal, Task.Delay(200)); // a disposal that does not wait ends within this time
        Assert.False(disposal.IsCompleted);
        listener.MayFree.SetResult(true);

        await disposal.InTime();
    }

    /// <summary>Stops a server, and checks that the stop waits for something.</summary>
    private static async Task EndsAfterAsync(MessageServer server, Action finish)
    {
        var stop = server.StopAsync();
        await Task.WhenAny(stop, Task.Delay(200)); // a stop that does not wait ends within this time
        Assert.False(stop.IsCompleted);
        finish();
        await stop.InTime();
        await Signal.UntilAsync(() => !server.Registry.HasWork); // a receive loop may still read the goodbye of its peer
    }

    private static MessageEndpoint NewEndpoint(string kind)
    {
        var name = $"stop-{Guid.NewGuid():N}";
        return kind switch
        {
            "in-process" => MessageEndpoint.InProcess(name),
            "tcp" => MessageEndpoint.Tcp(0),
            "ws" => MessageEndpoint.WebSocket(0, new WebSocketEndpointOptions { RequireToken = false }),
            "unix" => MessageEndpoint.Unix(Path.Combine(Path.GetTempPath(), name + ".sock")),
            "pipe" => MessageEndpoint.Pipe(name),
            _ => MessageEndpoint.SharedMemory(name),
        };
    }

    private static async IAsyncEnumerable<Pong> CountAsync(int count, Task goesOn, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        yield return new Pong(0);
        await goesOn.WaitAsync(cancellationToken);
        for (var number = 1; number < count; number++)
            yield return new Pong(number);
    }

    /// <summary>A listener whose channels are freed only when the test lets them.</summary>
    private sealed class HeldListener(TransportListener inner) : TransportListener
    {
        public TaskCompletionSource<bool> Freeing { get; } = Signal.New<bool>();

        public TaskCompletionSource<bool> MayFree { get; } = Signal.New<bool>();

        public override TransportAddress Address => inner.Address;

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
            await inner.AcceptAsync(cancellationToken) is { } channel ? new HeldChannel(channel, this) : null;

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    private sealed class HeldChannel(TransportChannel inner, HeldListener listener) : TransportChannel
    {
        public override string RemoteName => inner.RemoteName;

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => inner.SendAsync(frames, cancellationToken);

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => inner.ReceiveAsync(buffer, cancellationToken);

        public override void Abort() => inner.Abort();

        public override async ValueTask DisposeAsync()
        {
            listener.Freeing.TrySetResult(true);
            await listener.MayFree.Task;
            await inner.DisposeAsync();
        }
    }
}
