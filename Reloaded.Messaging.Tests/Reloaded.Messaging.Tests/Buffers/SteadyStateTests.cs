using System.Buffers;
using Reloaded.Messaging.Tests.Packing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>What packing costs the garbage collector once it is warm: nothing.</summary>
[Quiet]
public sealed class SteadyStateTests
{
    private readonly MessageWriter _writer = new();

    [Fact]
    public void Packing_and_releasing_a_struct_allocates_nothing() =>
        Assert.Equal(0, Allocation.OfThousand(() => _writer.Pack(PackingContracts.Position, new Position(1, 2, 3)).Dispose()));

    [Fact]
    public void Packing_and_releasing_a_secret_allocates_nothing() =>
        Assert.Equal(0, Allocation.OfThousand(() => _writer.Pack(PackingContracts.SecretPosition, new Position(1, 2, 3)).Dispose()));

    [Theory]
    [InlineData(10)]
    [InlineData(4000)]
    [InlineData(10_000)]
    [InlineData(200_000)]
    public void Packing_and_releasing_bytes_allocates_nothing(int size)
    {
        ReadOnlyMemory<byte> bytes = new byte[size];
        Assert.Equal(0, Allocation.OfThousand(() => _writer.Pack(PackingContracts.Bytes, bytes).Dispose()));
    }

    [Fact]
    public void Packing_and_releasing_what_is_compressed_allocates_nothing()
    {
        ReadOnlyMemory<byte> bytes = new byte[2000];
        Assert.Equal(0, Allocation.OfThousand(() => _writer.Pack(PackingContracts.Compressed, bytes).Dispose()));
    }

    [Fact]
    public void Packing_text_allocates_nothing() =>
        Assert.Equal(0, Allocation.OfThousand(() => _writer.Pack(PackingContracts.Text, "Grüße aus dem Spiel").Dispose()));

    [Fact]
    public void Packing_json_allocates_nothing()
    {
        var contract = new MessageContract<string[]>(1, new JsonMessageSerializer<string[]>(SteadyStateJsonContext.Default.StringArray));
        string[] value = ["one", "two"];
        Assert.Equal(0, Allocation.OfThousand(() => _writer.Pack(contract, value).Dispose()));
    }

    [Fact]
    public void Appending_to_a_batch_and_clearing_it_allocates_nothing()
    {
        ReadOnlyMemory<byte> bytes = new byte[200];
        using var batch = new MessageBatch();
        var count = 0;

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            for (var i = 0; i < 20; i++)
            {
                _writer.Append(batch, PackingContracts.Position, new Position(i, i, i));
                _writer.Append(batch, PackingContracts.Bytes, bytes);
            }

            foreach (var message in batch)
                count += message.Length;
            batch.Clear();
        }));
        Assert.NotEqual(0, count);
    }

    [Fact]
    public void Writing_to_a_buffer_writer_allocates_nothing()
    {
        var destination = new ArrayBufferWriter<byte>(1000);

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            destination.ResetWrittenCount();
            _writer.Write(destination, PackingContracts.Position, new Position(1, 2, 3));
        }));
        Assert.Equal(13, destination.WrittenCount);
    }

    [Fact]
    public void Configurations_of_a_hundred_kilobytes_cause_no_gen2_collections()
    {
        var config = PackingContracts.BigConfig();
        using (var warm = _writer.Pack(PackingContracts.Config, config))
            Assert.InRange(warm.Length, 100_000, 1 << 20);

        // An array of its own for each message would be at least 200 × 200 KB on the large object heap, whose budget starts at a few
        // megabytes: ten collections or more. One is allowed for: garbage of the tests before may be due at any moment.
        var before = GC.CollectionCount(2);
        var lengths = new HashSet<int>();
        for (var i = 0; i < 200; i++)
        {
            using var packed = _writer.Pack(PackingContracts.Config, config);
            lengths.Add(packed.Length);
        }

        Assert.InRange(GC.CollectionCount(2) - before, 0, 1);
        Assert.Single(lengths);
    }

    [Fact]
    public void Large_arrays_go_back_to_the_shared_pool_with_their_message()
    {
        ReadOnlyMemory<byte> bytes = new byte[90_000];
        var packed = _writer.Pack(PackingContracts.Bytes, bytes);
        var array = PackingContracts.ArrayOf(packed);
        packed.Dispose();

        var rented = ArrayPool<byte>.Shared.Rent(90_001);

        Assert.Same(array, rented);
        ArrayPool<byte>.Shared.Return(rented);
    }
}
