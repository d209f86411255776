using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class KeepAliveTests : IAsyncDisposable
{
    private const long Longest = 1000;
    private const long Step = 50;

    private readonly ResponsiveClock _clock = new();
    private long _now = Environment.TickCount64;
    private readonly StuckChannel _channel = new();
    private readonly Outbox _outbox;
    private readonly KeepAlive _keepAlive;

    public KeepAliveTests()
    {
        _outbox = new StreamOutbox(_channel, 1000, static _ => { }, CancellationToken.None);
        _keepAlive = new KeepAlive(_channel, _outbox);
        _clock.Tick(_now);
    }

    public ValueTask DisposeAsync() => _channel.DisposeAsync();

    [Fact]
    public void Silent_peer_is_not_silent_while_its_bytes_wait_unread()
    {
        _keepAlive.LastHeard = _clock.Now - Longest;
        Assert.False(_keepAlive.IsSilent(_clock, Longest));
        _keepAlive.LastHeard = _clock.Now - Longest - 1;
        Assert.True(_keepAlive.IsSilent(_clock, Longest));
        _channel.Unread = true;
        _keepAlive.LastHeard = _clock.Now - Longest - 1;
        Assert.False(_keepAlive.IsSilent(_clock, Longest));
    }

    [Fact]
    public Task Silence_after_half_of_the_limit_counts_only_while_the_thread_pool_is_free() => Signal.UntilAsync(() =>
    {
        var now = _clock.Now;
        _keepAlive.LastHeard = now - (Longest / 2) - 1;
        Assert.False(_keepAlive.IsSilent(_clock, Longest));
        _clock.Tick(_now += Step);
        return _clock.Now == now; // the thread pool has not run the probe yet
    });

    [Fact]
    public async Task Write_without_progress_is_noticed_and_one_with_progress_is_not()
    {
        Assert.False(_keepAlive.IsNotReading(_clock, Longest)); // nothing is written
        await AdvanceAsync(2 * Longest);
        _outbox.Append([1, 2, 3]);
        await _channel.Writing.Task.InTime();

        Assert.False(_keepAlive.IsNotReading(_clock, Longest));
        await AdvanceAsync(Longest);
        Assert.False(_keepAlive.IsNotReading(_clock, Longest));
        _channel.Sent++;
        Assert.False(_keepAlive.IsNotReading(_clock, Longest));
        await AdvanceAsync(Longest);
        Assert.False(_keepAlive.IsNotReading(_clock, Longest));
        await AdvanceAsync(Step);
        Assert.True(_keepAlive.IsNotReading(_clock, Longest));
    }

    [Fact]
    public async Task Peer_that_acknowledges_nothing_is_noticed_and_one_that_acknowledges_is_not()
    {
        await AdvanceAsync(2 * Longest);
        Assert.False(_keepAlive.IsNotReading(_clock, Longest)); // nothing waits for an acknowledgement
        _channel.Acknowledged = 0;
        Assert.False(_keepAlive.IsNotReading(_clock, Longest));
        await AdvanceAsync(Longest);
        _channel.Acknowledged++;
        Assert.False(_keepAlive.IsNotReading(_clock, Longest));
        await AdvanceAsync(Longest + Step);
        Assert.True(_keepAlive.IsNotReading(_clock, Longest));
    }

    [Fact]
    public async Task Round_trip_time_grows_while_pings_have_no_reply()
    {
        _keepAlive.BeginPing(_now);
        Assert.Equal(TimeSpan.Zero, _keepAlive.RoundTripTime);
        _keepAlive.NotePong(_keepAlive.BeginPing(_now));
        var measured = _keepAlive.RoundTripTime;
        Assert.True(measured > TimeSpan.Zero);

        _keepAlive.BeginPing(_now);
        await Signal.UntilAsync(() => _keepAlive.RoundTripTime > measured);
        var grown = _keepAlive.RoundTripTime;
        var last = _keepAlive.BeginPing(_now);
        Assert.True(_keepAlive.RoundTripTime >= grown); // the first ping without a reply counts

        _keepAlive.NotePong(last);
        var replied = _keepAlive.RoundTripTime;
        await Task.Delay(1); // the clock has moved
        Assert.Equal(replied, _keepAlive.RoundTripTime); // no longer grows
    }

    /// <summary>Ticks until the clock has counted a time. Ticks do not count while a probe waits for the thread pool.</summary>
    private async Task AdvanceAsync(long milliseconds)
    {
        var until = _clock.Now + milliseconds;
        await Task.Run(async () =>
        {
            while (_clock.Now < until)
            {
                _clock.Tick(_now += Step);
                await Task.Yield();
            }
        }).InTime();
    }

    private sealed class StuckChannel : TransportChannel
    {
        private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource<bool> Writing { get; } = Signal.New<bool>();

        public bool Unread { get; set; }

        public long Sent { get; set; }

        public long? Acknowledged { get; set; }

        public override long? AcknowledgedProgress => Acknowledged;

        public override string RemoteName => "stuck";

        public override bool HasUnread => Unread;

        public override long? SentBytes => Sent;

        public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
        {
            Writing.TrySetResult(true);
            await _end.Task;
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => new(0);

        public override void Abort() => _end.TrySetResult();

        public override ValueTask DisposeAsync()
        {
            Abort();
            return default;
        }
    }
}
