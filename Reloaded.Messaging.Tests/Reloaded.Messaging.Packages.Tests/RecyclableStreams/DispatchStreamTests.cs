using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.IO;
using Reloaded.Messaging.RecyclableStreams;
using Xunit;

namespace Reloaded.Messaging.Tests.RecyclableStreams;

/// <summary>Messages read back out of streams.</summary>
public sealed class DispatchStreamTests
{
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_bytes = new(3, new RawSerializer());

    private readonly MessageWriter _writer = new();
    private readonly MessageDispatcher<byte[]> _dispatcher = new();
    private readonly WatchedManager _watched = new(MessageStreams.CreateManager());
    private byte[] _arrived = [];

    public DispatchStreamTests()
    {
        _watched.Manager.Settings.ThrowExceptionOnToArray = true;
        _dispatcher.Register(s_bytes, static (in bytes, ref arrived) => arrived = bytes.ToArray());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16_383)] // with its header, a block
    [InlineData(16_384)]
    [InlineData(1_000_000)]
    public void A_packed_message_is_dispatched_and_the_stream_stays_its_owners(int size)
    {
        var payload = new byte[size];
        new Random(size).NextBytes(payload);
        using (var stream = _writer.PackToStream(_watched.Manager, s_bytes, payload))
        {
            stream.Position = stream.Length; // where one that was just received into is

            Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(stream, ref _arrived));
            Assert.Equal(payload, _arrived);
            Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(stream, ref _arrived));
        }

        _watched.AssertAllDisposedOnce(1);
    }

    [Fact]
    public void A_message_in_one_block_is_read_where_it_is()
    {
        using var stream = _writer.PackToStream(_watched.Manager, s_bytes, new byte[1000]);
        var block = stream.GetBuffer();
        var dispatcher = new MessageDispatcher<bool>();
        dispatcher.RegisterRaw(3, (in _, payload, ref inPlace) => inPlace = Unsafe.AreSame(ref block[1], ref MemoryMarshal.GetReference(payload)));
        var inPlace = false;

        dispatcher.Dispatch(stream, ref inPlace);

        Assert.True(inPlace);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_copy_of_a_message_in_several_blocks_is_zeroed_and_given_back(bool throws)
    {
        var payload = new byte[50_000];
        Array.Fill(payload, (byte)7);
        using var stream = _writer.PackToStream(_watched.Manager, s_bytes, payload);
        var spare = ArrayPool<byte>.Shared.Rent(50_001);
        Array.Fill(spare, (byte)0xEE);
        ArrayPool<byte>.Shared.Return(spare);
        var dispatcher = new MessageDispatcher<bool>();
        dispatcher.RegisterRaw(3, (in _, bytes, ref inSpare) =>
        {
            inSpare = Unsafe.AreSame(ref spare[1], ref MemoryMarshal.GetReference(bytes)) && bytes.SequenceEqual(payload);
            if (throws)
                throw new NotSupportedException();
        });
        var inSpare = false;

        if (throws)
            Assert.Throws<NotSupportedException>(() => dispatcher.Dispatch(stream, ref inSpare));
        else
            dispatcher.Dispatch(stream, ref inSpare);

        var rented = ArrayPool<byte>.Shared.Rent(50_001);
        Assert.True(inSpare);
        Assert.Same(spare, rented);
        Assert.Equal(-1, rented.AsSpan(0, 50_001).IndexOfAnyExcept((byte)0));
        Assert.Equal(0xEE, rented[50_001]); // what was not written is not cleared either
        ArrayPool<byte>.Shared.Return(rented);
    }

    [Theory]
    [InlineData("", DispatchStatus.Malformed)]
    [InlineData("05", DispatchStatus.NoHandler)]
    [InlineData("FF", DispatchStatus.Malformed)]
    [InlineData("83FFFFFF7F00", DispatchStatus.Malformed)]
    public void Bad_bytes_get_the_dispatchers_status(string message, DispatchStatus status)
    {
        using var stream = _watched.Manager.GetStream();
        stream.Write(Convert.FromHexString(message));

        Assert.Equal(_dispatcher.Dispatch(Convert.FromHexString(message), ref _arrived), _dispatcher.Dispatch(stream, ref _arrived));
        Assert.Equal(2, _dispatcher.GetCount(status));
    }

    [Theory]
    [InlineData(200)] // in one block
    [InlineData(100_000)] // in several
    public void A_message_above_the_dispatchers_limit_is_too_large_and_counted(int size)
    {
        var dispatcher = new MessageDispatcher<byte[]>(new MessageLimits { MaxMessageSize = 200 });
        using var stream = _writer.PackToStream(_watched.Manager, s_bytes, new byte[size]);

        Assert.Equal(DispatchStatus.TooLarge, dispatcher.Dispatch(stream, ref _arrived));
        Assert.Equal(1, dispatcher.GetCount(DispatchStatus.TooLarge));
    }

    [Fact]
    public void A_stream_longer_than_any_array_is_too_large()
    {
        // Untouched memory: the system gives none for it.
        var manager = new RecyclableMemoryStreamManager(new() { BlockSize = 1 << 30, LargeBufferMultiple = 1 << 30, MaximumBufferSize = 1 << 30 });
        using var stream = manager.GetStream();
        stream.SetLength(Array.MaxLength + 1L);

        Assert.Equal(DispatchStatus.TooLarge, _dispatcher.Dispatch(stream, ref _arrived));
    }

    [Fact]
    public void A_disposed_stream_is_said_to_be()
    {
        var stream = _writer.PackToStream(_watched.Manager, s_bytes, new byte[1]);
        stream.Dispose();

        Assert.Throws<ObjectDisposedException>(() => _dispatcher.Dispatch(stream, ref _arrived));
    }
}
