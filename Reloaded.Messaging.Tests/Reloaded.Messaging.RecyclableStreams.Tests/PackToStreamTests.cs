using System;
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
    private readonly WatchedManager _watched = new(MessageStreams.CreateManager());

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

        _watched.AssertAllDisposedOnce(1);
    }

    [Fact]
    public void A_message_above_the_writers_limit_leaves_no_stream()
    {
        Assert.Throws<MessageTooLargeException>(() => _writer.PackToStream(_watched.Manager, s_bytes, new byte[1 << 20]));

        _watched.AssertAllDisposedOnce(1);
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
        var watched = new WatchedManager(new RecyclableMemoryStreamManager());

        var exception = Assert.Throws<InvalidOperationException>(() => _writer.PackToStream(watched.Manager, s_secret, new byte[10]));

        Assert.Contains("ZeroOutBuffer", exception.Message, StringComparison.Ordinal);
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
