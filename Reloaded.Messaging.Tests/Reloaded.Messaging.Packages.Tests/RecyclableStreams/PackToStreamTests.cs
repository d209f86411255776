using Microsoft.IO;
using Reloaded.Messaging.RecyclableStreams;
using Xunit;

namespace Reloaded.Messaging.Tests.RecyclableStreams;

/// <summary>What is packed into streams, and who disposes them.</summary>
public sealed class PackToStreamTests
{
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_bytes = new(3, new RawSerializer());
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_secret = new(4, new RawSerializer(), isSecret: true);

    private readonly MessageWriter _writer = new();
    private readonly WatchedManager _watched = new(MessageStreams.CreateManager(holdsSecrets: true));

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16_383)] // with its header, a block
    [InlineData(16_384)]
    [InlineData(1_000_000)]
    public void A_stream_holds_the_packed_message_and_is_at_its_beginning(int size)
    {
        var payload = new byte[size];
        new Random(size).NextBytes(payload);
        using var packed = _writer.Pack(s_bytes, payload);

        using (var stream = _writer.PackToStream(_watched.Manager, s_bytes, payload))
        {
            var bytes = new byte[packed.Length];
            Assert.Equal(0, stream.Position);
            Assert.Equal(packed.Length, stream.Length);
            stream.ReadExactly(bytes);
            Assert.True(packed.Span.SequenceEqual(bytes));
        }

        _watched.AssertAllDisposedOnce(1);
    }

    [Fact]
    public void A_declared_contract_needs_no_naming()
    {
        using var packed = _writer.Pack(new Position(1, 2));
        using var stream = _writer.PackToStream(_watched.Manager, new Position(1, 2));

        Assert.True(packed.Span.SequenceEqual(stream.GetReadOnlySequence().FirstSpan));
    }

    [Fact]
    public void A_serializer_that_throws_leaves_no_stream()
    {
        var contract = new MessageContract<int>(3, new ThrowingSerializer());

        Assert.Throws<NotSupportedException>(() => _writer.PackToStream(_watched.Manager, contract, 1));

        _watched.AssertAllDisposedOnce(0);
    }

    [Fact]
    public void A_message_above_the_writers_limit_leaves_no_stream()
    {
        Assert.Throws<MessageTooLargeException>(() => _writer.PackToStream(_watched.Manager, s_bytes, new byte[1 << 20]));

        _watched.AssertAllDisposedOnce(0);
    }

    [Fact]
    public void A_message_above_the_managers_limit_leaves_no_stream()
    {
        var watched = new WatchedManager(MessageStreams.CreateManager(new MessageLimits { MaxMessageSize = 100_000 }));

        _writer.PackToStream(watched.Manager, s_bytes, new byte[114_687]).Dispose();
        Assert.Throws<OutOfMemoryException>(() => _writer.PackToStream(watched.Manager, s_bytes, new byte[114_688])); // above seven blocks

        watched.AssertAllDisposedOnce(2);
    }

    [Fact]
    public void A_secret_is_refused_by_a_manager_that_does_not_zero()
    {
        var watched = new WatchedManager(MessageStreams.CreateManager());

        var exception = Assert.Throws<InvalidOperationException>(() => _writer.PackToStream(watched.Manager, s_secret, new byte[10]));

        Assert.Contains("holdsSecrets", exception.Message, StringComparison.Ordinal);
        watched.AssertAllDisposedOnce(0);
    }

    [Fact]
    public void A_secret_is_gone_once_its_stream_is_disposed()
    {
        var secret = new byte[1000];
        Array.Fill(secret, (byte)7);
        var stream = _writer.PackToStream(_watched.Manager, s_secret, secret);
        var block = stream.GetBuffer();
        Assert.Equal(7, block[1000]);

        stream.Dispose();

        Assert.Equal(-1, block.AsSpan().IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void Stream_that_is_used_again_holds_the_last_message_alone()
    {
        using (var stream = _watched.Manager.GetStream())
        {
            foreach (var size in new[] { 40_000, 10, 0, 16_384 })
            {
                var payload = new byte[size];
                new Random(size).NextBytes(payload);
                using var packed = _writer.Pack(s_bytes, payload);

                _writer.PackToStream(stream, s_bytes, payload);

                Assert.Equal(0, stream.Position);
                Assert.True(packed.Span.SequenceEqual(stream.ToArray()));
            }
        }

        _watched.AssertAllDisposedOnce(1);
    }

    [Fact]
    public void Stream_that_is_used_again_allocates_nothing()
    {
        using var stream = _watched.Manager.GetStream();
        ReadOnlyMemory<byte> payload = new byte[1000];
        _writer.PackToStream(stream, s_bytes, payload);

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 100; i++)
            _writer.PackToStream(stream, s_bytes, payload);

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void Stream_that_is_used_again_refuses_a_secret_and_keeps_its_message()
    {
        using var stream = _watched.Manager.GetStream();
        _writer.PackToStream(stream, s_bytes, new byte[] { 1 });

        Assert.Throws<InvalidOperationException>(() => _writer.PackToStream(stream, s_secret, new byte[10]));
        Assert.Throws<MessageTooLargeException>(() => _writer.PackToStream(stream, s_bytes, new byte[1 << 20]));

        Assert.Equal([3, 1], stream.ToArray());
    }

    [Fact]
    public void Stream_that_cannot_hold_the_message_is_empty_and_takes_the_next()
    {
        var manager = MessageStreams.CreateManager(new MessageLimits { MaxMessageSize = 100_000 });
        using var stream = manager.GetStream();
        _writer.PackToStream(stream, s_bytes, new byte[10]);

        Assert.Throws<OutOfMemoryException>(() => _writer.PackToStream(stream, s_bytes, new byte[114_688])); // above seven blocks
        Assert.Equal(0, stream.Length);

        _writer.PackToStream(stream, s_bytes, new byte[] { 1 });
        Assert.Equal([3, 1], stream.ToArray());
    }

    private sealed class ThrowingSerializer : IMessageSerializer<int>
    {
        public string Name => "throwing";

        public void Serialize(in int value, MessageBuffer buffer)
        {
            buffer.Write(new byte[100_000]);
            throw new NotSupportedException();
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value) => throw new NotSupportedException();
    }
}
