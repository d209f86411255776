using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class PeerWatchTests : IAsyncDisposable
{
    private const long Longest = 1000;

    private readonly StuckChannel _channel = new();
    private readonly Outbox _outbox;
    private readonly PeerWatch _watch;

    public PeerWatchTests()
    {
        _outbox = new Outbox(_channel, 1000, static _ => { }, CancellationToken.None);
        _watch = new PeerWatch(_channel, _outbox);
    }

    public ValueTask DisposeAsync() => _channel.DisposeAsync();

    [Fact]
    public void Silent_peer_is_not_silent_while_its_bytes_wait_unread()
    {
        var clock = new ResponsiveClock();

        Assert.False(_watch.IsSilent(clock.Now - Longest, clock, Longest));
        Assert.True(_watch.IsSilent(clock.Now - Longest - 1, clock, Longest));
        _channel.Unread = true;
        Assert.False(_watch.IsSilent(clock.Now - Longest - 1, clock, Longest));
    }

    [Fact]
    public async Task Write_without_progress_is_noticed_and_one_with_progress_is_not()
    {
        Assert.False(_watch.IsNotReading(5000, Longest)); // nothing is written
        _outbox.TryAppend([1, 2, 3], isSecret: false);
        await _channel.Writing.Task.InTime();

        Assert.False(_watch.IsNotReading(10_000, Longest));
        Assert.False(_watch.IsNotReading(10_000 + Longest, Longest));
        _channel.Sent++;
        Assert.False(_watch.IsNotReading(10_001 + Longest, Longest));
        Assert.False(_watch.IsNotReading(10_001 + (2 * Longest), Longest));
        Assert.True(_watch.IsNotReading(10_002 + (2 * Longest), Longest));
    }

    private sealed class StuckChannel : TransportChannel
    {
        private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource<bool> Writing { get; } = Signal.New<bool>();

        public bool Unread { get; set; }

        public long Sent { get; set; }

        public override string RemoteName => "stuck";

        internal override bool HasUnread => Unread;

        internal override long? SentBytes => Sent;

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
