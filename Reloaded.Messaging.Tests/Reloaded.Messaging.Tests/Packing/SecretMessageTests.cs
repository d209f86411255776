using System.Buffers;
using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>Buffers that held a secret are zeroed. Alone, because large arrays are anybody's again as soon as they are back in the shared pool.</summary>
[Quiet]
public sealed class SecretMessageTests
{
    private const byte Secret = 0x5E;
    private readonly MessageWriter _writer = new();

    [Theory]
    [InlineData(20_000)] // above what stays with a buffer: the array is not poisoned after it was zeroed
    [InlineData(100_000)]
    public void A_large_secret_is_zeroed_when_its_own_thread_releases_it(int size)
    {
        var packed = _writer.Pack(PackingContracts.Secret, PackingContracts.Filled(size, Secret));
        var array = PackingContracts.ArrayOf(packed);

        packed.Dispose();

        Assert.Equal(new byte[array.Length], array);
    }

    [Fact]
    public void A_small_secret_is_gone_when_its_own_thread_releases_it()
    {
        var packed = _writer.Pack(PackingContracts.Secret, PackingContracts.Filled(200, Secret));
        var array = PackingContracts.ArrayOf(packed);

        packed.Dispose();

        Assert.Equal(PackingContracts.Filled(array.Length, MessagePool.Poison), array); // zeroed, then poisoned
    }

    [Theory]
    [InlineData(200)]
    [InlineData(2000)]
    [InlineData(100_000)]
    public void A_secret_is_zeroed_at_once_when_another_thread_releases_it(int size)
    {
        var packed = _writer.Pack(PackingContracts.Secret, PackingContracts.Filled(size, Secret));
        var array = PackingContracts.ArrayOf(packed);

        OtherThread.Run(packed.Dispose);

        Assert.Equal(new byte[array.Length], array);
    }

    [Fact]
    public void Batch_with_secret_packed_message_is_zeroed_when_cleared()
    {
        using var batch = new MessageBatch();
        Assert.True(batch.TryAppend(PackingContracts.Filled(20_000, Secret), isSecret: true)); // above what stays with a buffer
        Assert.True(MemoryMarshal.TryGetArray(batch.Memory, out var frames));

        batch.Clear();

        Assert.Equal(new byte[frames.Array!.Length], frames.Array);
    }

    [Fact]
    public void A_message_says_whether_it_is_secret()
    {
        var released = _writer.Pack(PackingContracts.Secret, PackingContracts.Filled(200, Secret));
        using var raw = _writer.PackRaw(new MessageHeader(20), [Secret], isSecret: true);
        using var open = _writer.Pack(PackingContracts.Bytes, PackingContracts.Filled(200, Secret));
        released.Dispose();

        Assert.True(raw.IsSecret);
        Assert.False(open.IsSecret);
        Assert.Throws<ObjectDisposedException>(() => released.IsSecret);
        using var again = _writer.Pack(PackingContracts.Secret, PackingContracts.Filled(200, Secret));
        Assert.True(again.IsSecret);
    }

    [Fact]
    public void A_secret_struct_is_zeroed_too()
    {
        var packed = _writer.Pack(PackingContracts.SecretPosition, new Position(1, 2, 3));
        var array = PackingContracts.ArrayOf(packed);

        OtherThread.Run(packed.Dispose);

        Assert.Equal(new byte[array.Length], array);
    }

    [Fact]
    public void What_is_no_secret_is_not_zeroed()
    {
        var packed = _writer.Pack(PackingContracts.Bytes, PackingContracts.Filled(5000, 0x11));
        var array = PackingContracts.ArrayOf(packed);

        packed.Dispose();

        Assert.Equal(PackingContracts.Filled(array.Length, MessagePool.Poison), array);
    }

    [Theory]
    [InlineData(300)]
    [InlineData(3000)]
    [InlineData(50_000)]
    public void Every_array_that_a_growing_secret_left_is_zeroed(int size)
    {
        var serializer = new RepeatingSerializer(Secret);
        OtherThread.Run(() => // with buffers that no other test has grown
        {
            var packed = _writer.Pack(new MessageContract<int>(20, serializer, isSecret: true), size);
            var last = PackingContracts.ArrayOf(packed);
            Assert.All(serializer.Arrays.Where(array => array != last), array => Assert.Equal(new byte[array.Length], array));

            packed.Dispose();

            Assert.DoesNotContain(Secret, last);
        });
        Assert.InRange(serializer.Arrays.Count, 2, 12);
    }

    [Fact]
    public void A_compressed_secret_leaves_neither_its_payload_nor_the_compressed_bytes()
    {
        var payload = PackingContracts.Filled(10_000, Secret).Concat(PackingContracts.Random(9000, 4)).ToArray();
        var packed = _writer.Pack(PackingContracts.SecretCompressed, payload);
        Assert.InRange(packed.Length, 9000, 10_000);
        var array = PackingContracts.ArrayOf(packed);

        var scratch = ArrayPool<byte>.Shared.Rent(array.Length); // what the compressor wrote to went back here last
        packed.Dispose();

        Assert.NotSame(array, scratch);
        Assert.Equal(new byte[array.Length], array);
        Assert.Equal(new byte[scratch.Length], scratch);
        ArrayPool<byte>.Shared.Return(scratch);
    }

    [Fact]
    public void A_secret_whose_serializer_threw_is_zeroed()
    {
        var serializer = new RepeatingSerializer(Secret, throws: true);

        Assert.Throws<FormatException>(() => _writer.Pack(new MessageContract<int>(20, serializer, isSecret: true), 200));

        var array = Assert.Single(serializer.Arrays);
        Assert.Equal(new byte[array.Length], array);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(10_000)]
    public void Clearing_a_batch_zeroes_its_secrets(int size)
    {
        using var batch = new MessageBatch();
        _writer.Append(batch, PackingContracts.Position, default);
        _writer.Append(batch, PackingContracts.Secret, PackingContracts.Filled(size, Secret));
        var array = PackingContracts.ArrayOf(batch.Memory);
        Assert.Contains(Secret, array);

        batch.Clear();

        Assert.Equal(new byte[array.Length], array);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(10_000)]
    public void Disposing_a_batch_zeroes_its_secrets(int size)
    {
        var batch = new MessageBatch();
        _writer.Append(batch, PackingContracts.Secret, PackingContracts.Filled(size, Secret));
        var array = PackingContracts.ArrayOf(batch.Memory);

        batch.Dispose();

        Assert.Equal(new byte[array.Length], array);
    }

    [Fact]
    public void A_secret_that_a_batch_refused_is_zeroed_with_the_next_clear()
    {
        using var batch = new MessageBatch(maxSize: 150);
        _writer.Append(batch, PackingContracts.Position, default);
        Assert.False(_writer.TryAppend(batch, PackingContracts.Secret, PackingContracts.Filled(140, Secret)));
        var array = PackingContracts.ArrayOf(batch.Memory);

        batch.Clear();

        Assert.Equal(new byte[array.Length], array);
    }
}
