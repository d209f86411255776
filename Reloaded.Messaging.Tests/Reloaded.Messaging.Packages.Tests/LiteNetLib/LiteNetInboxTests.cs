using System.Linq;
using System.Net;
using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>Each reader is returned to LiteNetLib exactly once, so that its pools are not drained and no reader has two owners.</summary>
public sealed class LiteNetInboxTests : IAsyncLifetime
{
    private readonly Queue<NetPacketReader> _readers = new();
    private readonly NetManager _receiver;
    private readonly NetManager _sender;
    private readonly LiteNetInbox _inbox = new(1 << 20);

    public LiteNetInboxTests()
    {
        var events = new EventBasedNetListener();
        events.ConnectionRequestEvent += static request => request.Accept();
        events.NetworkReceiveEvent += (_, reader, _, _) => _readers.Enqueue(reader);
        _receiver = new NetManager(events) { IPv6Enabled = false };
        _receiver.StartInManualMode(IPAddress.Loopback, IPAddress.IPv6Loopback, 0); // the receiver does nothing that the test does not request
        _sender = new NetManager(new EventBasedNetListener()) { IPv6Enabled = false };
        _sender.Start(IPAddress.Loopback, IPAddress.IPv6Loopback, 0);
        _sender.Connect(new IPEndPoint(IPAddress.Loopback, _receiver.LocalPort), "");
    }

    public async ValueTask InitializeAsync()
    {
        await UntilAsync(() => _sender.ConnectedPeersCount == 1);
        await ReceiveAsync(4);
        while (_readers.TryDequeue(out var reader))
            reader.Recycle(); // so that its pool is not empty
    }

    public ValueTask DisposeAsync()
    {
        _sender.Stop();
        _receiver.Stop();
        return default;
    }

    [Fact]
    public async Task What_was_received_goes_back_when_it_was_read()
    {
        var spare = _receiver.PoolCount;
        await ReceiveAsync(3);
        Assert.Equal(spare - 3, _receiver.PoolCount);
        while (_readers.TryDequeue(out var reader))
            Assert.True(_inbox.TryAdd(reader));

        for (byte i = 0; i < 3; i++)
        {
            Assert.Equal(i, (await _inbox.ReceiveAsync(CancellationToken.None)).Span[0]);
            Assert.Equal(spare - 3 + i, _receiver.PoolCount);
            _inbox.Return();
        }

        Assert.Equal(spare, _receiver.PoolCount);
    }

    [Fact]
    public async Task What_was_returned_twice_went_back_once()
    {
        await ReceiveAsync(1);
        _inbox.TryAdd(_readers.Dequeue());
        await _inbox.ReceiveAsync(CancellationToken.None);
        _inbox.Return();
        _inbox.Return();

        await ReceiveAsync(4);

        Assert.Equal(4, _readers.Distinct().Count());
    }

    [Fact]
    public async Task What_nobody_will_receive_goes_back_at_once_but_for_what_is_being_read()
    {
        var spare = _receiver.PoolCount;
        await ReceiveAsync(3);
        while (_readers.TryDequeue(out var reader))
            _inbox.TryAdd(reader);
        var lent = await _inbox.ReceiveAsync(CancellationToken.None);

        _inbox.Fail(new TransportClosedException("Closed."), keepsReceived: false);

        Assert.Equal((spare - 1, 0), (_receiver.PoolCount, lent.Span[0]));
        _inbox.Return();
        Assert.Equal(spare, _receiver.PoolCount);
        await ReceiveAsync(1);
        Assert.False(_inbox.TryAdd(_readers.Peek()));
    }

    [Theory]
    [InlineData(0, DeliveryMethod.Unreliable)] // not all empty reliable packets arrive
    [InlineData(1, DeliveryMethod.ReliableOrdered)]
    public async Task What_waits_is_bounded_by_the_memory_that_it_holds_however_little_is_in_it(int size, DeliveryMethod method)
    {
        const int MaxBytes = 8 * 1024;
        var inbox = new LiteNetInbox(MaxBytes);
        for (var round = 0; round < 2; round++)
        {
            await ReceiveAsync(60, size, method);
            var held = new List<int>();
            while (_readers.TryPeek(out var reader) && inbox.TryAdd(reader))
                held.Add(_readers.Dequeue().RawData.Length);

            Assert.NotEmpty(_readers);
            Assert.NotEmpty(held);
            Assert.InRange(held.Sum(), 0, MaxBytes);
            for (var i = 0; i < held.Count; i++)
            {
                Assert.Equal(size, (await inbox.ReceiveAsync(CancellationToken.None)).Length);
                inbox.Return();
            }

            while (_readers.TryDequeue(out var refused))
                refused.Recycle();
        }
    }

    /// <summary>Receives several packets, each with its number.</summary>
    private Task ReceiveAsync(byte count) => ReceiveAsync(count, 1, DeliveryMethod.ReliableOrdered);

    /// <summary>Receives several packets with one byte or none.</summary>
    private async Task ReceiveAsync(byte count, int size, DeliveryMethod method)
    {
        for (byte i = 0; i < count; i++)
            _sender.FirstPeer.Send(size == 0 ? [] : [i], 0, method);
        _sender.TriggerUpdate();
        await UntilAsync(() => _readers.Count == count);
    }

    private Task UntilAsync(Func<bool> condition) => Signal.UntilAsync(() =>
    {
        _receiver.PollEvents();
        _receiver.ManualUpdate(1);
        return condition();
    });
}
