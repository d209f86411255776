using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Tapping;

/// <summary>Code of the program that waits, for example for a lock of the program. It runs under no lock of the library, and not on the timer thread of the hosts.</summary>
public sealed class BlockingTapTests : IDisposable
{
    private readonly ManualResetEventSlim _gate = new();
    private readonly TaskCompletionSource<string?> _entered = Signal.New<string?>();

    public void Dispose()
    {
        _gate.Set();
        _gate.Dispose();
    }

    [Fact]
    public async Task Tap_of_an_announcement_that_waits_delays_no_other_registration_and_no_new_client()
    {
        await using var hosts = await HostPair.ConnectAsync(Next());
        await hosts.Server.Connection().InTime();
        hosts.Server.Tap((in TappedMessage message) => Wait(message.Direction == MessageDirection.Sent && message.Header is { Kind: MessageKind.Control, Type: ControlCode.Hello }));

        var first = Task.Run(() => hosts.Server.On((in Ping _, Peer _) => { }));
        await _entered.Task.InTime();
        var second = Task.Run(() => hosts.Server.On((in Pong _, Peer _) => { }));

        await second.InTime();
        await using var other = await MessageHost.ConnectAsync(hosts.Server.Endpoint).InTime();
        _gate.Set();
        await first.InTime();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Tap_of_an_event_that_waits_delays_neither_the_event_nor_later_messages_to_its_peer(bool isBroadcast)
    {
        var received = new ConcurrentQueue<int>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), client: client => client.On((in Ping ping, Peer _) => received.Enqueue(ping.Number)));
        var peer = await hosts.Server.Connection().InTime();
        hosts.Server.Tap((in TappedMessage message) => Wait(message.Direction == MessageDirection.Sent && message.Header.Kind == MessageKind.Event));

        var first = Task.Run(() => isBroadcast ? hosts.Server.Broadcast(new Ping(1)) : peer.Send(new Ping(1)) == SendStatus.Sent ? 1 : 0);
        await _entered.Task.InTime();
        Assert.Equal(SendStatus.Sent, peer.Send(new Ping(2)));

        await Signal.UntilAsync(() => received.Count == 2);
        Assert.Equal([1, 2], received);
        _gate.Set();
        Assert.Equal(1, await first.InTime());
    }

    [Fact]
    public async Task Tap_of_a_ping_that_waits_does_not_delay_the_timeouts_of_another_host()
    {
        await using var tapped = await MessageHost.ListenAsync(Next(), server => server.Tap((in TappedMessage message) =>
            Wait(message.Direction == MessageDirection.Sent && message.Header is { Kind: MessageKind.Control, Type: ControlCode.Ping })));
        await using var first = await MessageHost.ConnectAsync(tapped.Endpoint);
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.OnRequest(async (Ping _, Peer _, CancellationToken token) =>
        {
            await Task.Delay(Timeout.Infinite, token);
            return default(Pong);
        }));
        Assert.NotEqual("Reloaded.Messaging timer", await _entered.Task.InTime());

        var result = await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(100)).AsTask().InTime();

        Assert.Equal(RequestStatus.TimedOut, result.Status);
    }

    [Fact]
    public async Task Clock_of_the_program_is_not_read_on_the_timer_thread()
    {
        var time = new RecordingTime();
        var options = new MessageHostOptions { TimeProvider = time, IdleTimeout = TimeSpan.FromHours(1) };
        await using var hosts = await HostPair.ConnectAsync(Next(), serverOptions: options);
        await hosts.Server.Connection().InTime();
        var before = time.Reads;

        await Signal.UntilAsync(() => time.Reads > before + 1);

        Assert.DoesNotContain("Reloaded.Messaging timer", time.Threads.Keys);
    }

    [Fact]
    public async Task MessagesLost_of_a_peer_that_the_timer_ends_is_not_raised_on_the_timer_thread()
    {
        var raised = Signal.New<string?>();
        await using var server = await MessageHost.ListenAsync(Next());
        server.MessagesLost += (_, _) => raised.TrySetResult(Thread.CurrentThread.Name);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note _, Peer _) => _gate.Wait(Deadline.Length)));
        var peer = await server.Connection().InTime();
        await Task.Run(() => peer.FillAsync(new Note(new string('x', 50_000))));

        await peer.AddSilenceAsync(TimeSpan.FromSeconds(400));

        Assert.NotEqual("Reloaded.Messaging timer", await raised.Task.InTime());
    }

    [Fact]
    public async Task Serializer_of_an_item_that_waits_does_not_delay_the_end_of_its_stream()
    {
        var contract = new MessageContract<Note>(60, new WaitingSerializer(() => Wait(true)));
        var goesOn = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.OnStream(MessageContract.GetDeclared<Ping>(), contract, (_, _, _) => NotesAsync(goesOn.Task));
            server.On((in Pong _, Peer _) => goesOn.TrySetResult(true)); // the thread that receives has left the handler of the pull
        });
        var opened = await hosts.Client.Server.RequestAsync(MessageContract.GetDeclared<Ping>(), StreamContracts.Opened, new Ping(1)).AsTask().InTime();
        using var stream = new IncomingStream(hosts.Client.Server, opened.Number);
        var reading = stream.ReadAsync(default).AsTask();
        hosts.Client.Send(new Pong(0));
        await _entered.Task.InTime();

        var closing = hosts.Client.Server.RequestAsync(StreamContracts.Pull, StreamContracts.GetBlock(isSecret: false), new StreamPull(opened.Number, 0)).AsTask();

        Assert.True((await reading.InTime()).IsEnd);
        Assert.True((await closing.InTime()).IsEnd);
    }

    private static async IAsyncEnumerable<Note> NotesAsync(Task begin)
    {
        await begin; // goes on on another thread than the thread that receives
        yield return new Note("item");
    }

    private static MessageEndpoint Next() => MessageEndpoint.InProcess($"blocking-{Guid.NewGuid():N}");

    /// <summary>Waits like a tap that enters a lock of the program while another thread holds the lock. Only the first call waits.</summary>
    private void Wait(bool isObserved)
    {
        if (isObserved && _entered.TrySetResult(Thread.CurrentThread.Name))
            _gate.Wait(Deadline.Length * 2);
    }

    private sealed class WaitingSerializer(Action wait) : IMessageSerializer<Note>
    {
        public string Name => "waiting";

        public void Serialize(in Note value, MessageBuffer buffer) => wait();

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out Note value)
        {
            value = new Note("");
            return true;
        }
    }

    private sealed class RecordingTime : TimeProvider
    {
        private int _reads;

        public int Reads => Volatile.Read(ref _reads);

        public ConcurrentDictionary<string, bool> Threads { get; } = new();

        public override long GetTimestamp()
        {
            Threads.TryAdd(Thread.CurrentThread.Name ?? "", true);
            Interlocked.Increment(ref _reads);
            return base.GetTimestamp();
        }
    }
}
