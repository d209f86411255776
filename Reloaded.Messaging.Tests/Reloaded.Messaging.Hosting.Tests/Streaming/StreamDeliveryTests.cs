using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Samples;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

/// <summary>The order of the blocks of streams, files and reports over datagrams.</summary>
public sealed class StreamDeliveryTests
{
    private const uint Block = 0xFFFF0022;

    private readonly RecordingTransport _transport = new();

    [Fact]
    public async Task Other_messages_do_not_wait_for_the_blocks_of_a_stream()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Over(_transport, "blocks"), host =>
            host.OnStream(static (Ping ping) => CountAsync(ping.Number)));

        Assert.Equal(100, (await hosts.Client.StreamAsync<Ping, Pong>(new Ping(100)).ReadAllAsync().InTime()).Count);

        Assert.All(_transport.DeliveriesOf(Block, minSize: 100), static delivery => Assert.Equal(DeliveryMode.ReliableByType, delivery.Mode)); // the answers after the end have no items
    }

    [Fact]
    public async Task Reports_have_the_order_of_the_reply_that_follows_them()
    {
        var reports = new Reports();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Over(_transport, "reports"), host =>
            host.OnRequest(static (Compact _, IProgress<Done> progress, CancellationToken _) =>
            {
                progress.Report(new Done(1));
                return Task.CompletedTask;
            }));

        await hosts.Client.RequestAsync(new Compact(""), reports).InTime();

        Assert.All(_transport.DeliveriesOf(Block), static delivery => Assert.Equal(Delivery.ReliableOrdered, delivery));
    }

    private static async IAsyncEnumerable<Pong> CountAsync(int end)
    {
        for (var number = 0; number < end; number++)
            yield return new Pong(number);
        await Task.CompletedTask;
    }

    /// <summary>A transport of the samples that records how each message is delivered.</summary>
    private sealed class RecordingTransport : Transport
    {
        private readonly LossyTransport _inner = new();
        private readonly ConcurrentQueue<(uint Type, int Size, Delivery Delivery)> _messages = [];

        public override string Scheme => _inner.Scheme;

        public override bool IsLocal => true;

        /// <summary>Returns the deliveries of the messages of a type with a minimum size, at least one.</summary>
        public List<Delivery> DeliveriesOf(uint type, int minSize = 0)
        {
            var found = _messages.Where(message => message.Type == type && message.Size >= minSize).Select(static message => message.Delivery).ToList();
            Assert.NotEmpty(found);
            return found;
        }

        public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) =>
            new Listener(this, await _inner.ListenAsync(address, context));

        public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
            new Channel(this, (DatagramChannel)await _inner.ConnectAsync(address, context, cancellationToken));

        private sealed class Listener(RecordingTransport transport, TransportListener inner) : TransportListener
        {
            public override TransportAddress Address => inner.Address;

            public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
                await inner.AcceptAsync(cancellationToken) is DatagramChannel channel ? new Channel(transport, channel) : null;

            public override ValueTask DisposeAsync() => inner.DisposeAsync();
        }

        private sealed class Channel : DatagramChannel
        {
            private readonly RecordingTransport _transport;
            private readonly DatagramChannel _inner;

            public Channel(RecordingTransport transport, DatagramChannel inner)
            {
                (_transport, _inner) = (transport, inner);
                inner.BytesLeft = () => BytesLeft?.Invoke();
            }

            public override string RemoteName => _inner.RemoteName;

            public override int PendingBytes => _inner.PendingBytes;

            public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default)
            {
                if (MessageHeader.TryRead(message, out var header, out _) == HeaderStatus.Ok)
                    _transport._messages.Enqueue((header.Type, message.Length, delivery));
                return _inner.TryQueue(message, delivery, maxPending, before);
            }

            public override bool HasRoom(int size, Delivery delivery, int maxPending) => _inner.HasRoom(size, delivery, maxPending);

            public override void Flush() => _inner.Flush();

            public override Task FlushAsync() => _inner.FlushAsync();

            public override void Seal(ReadOnlySpan<byte> last) => _inner.Seal(last);

            public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => _inner.ReceiveAsync(buffer, cancellationToken);

            public override void Abort() => _inner.Abort();

            public override ValueTask DisposeAsync() => _inner.DisposeAsync();
        }
    }
}
