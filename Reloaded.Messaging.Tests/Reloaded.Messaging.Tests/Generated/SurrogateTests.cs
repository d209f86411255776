using System.Collections;
using System.Drawing;
using System.Linq;
using System.Net;
using System.Numerics;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Message]
public sealed record PairForm(KeyValuePair<string, int> Value);

[Message]
public sealed record PairsForm(List<KeyValuePair<string?, List<int>?>>? Value);

[Message]
public sealed record OneItemForm(ValueTuple<string> Value);

[Message]
public sealed record BigForm(BigInteger Value);

[Message]
public sealed record ComplexForm(Complex Value);

[Message]
public sealed record RuneForm(Rune Value);

[Message]
public sealed record IndexForm(Index Value);

[Message]
public sealed record RangeForm(Range? Value);

[Message]
public sealed record ColorForm(Color Value);

[Message]
public sealed record DrawnForm(Point A, PointF B, Size C, SizeF D, Rectangle E, RectangleF F);

[Message]
public sealed record BitsForm(BitArray? Value, BitArray More);

[Message]
public sealed record AddressForm(IPAddress Value, IPAddress? More = null);

[Message]
public sealed record AddressesForm(List<IPAddress> Value, Dictionary<IPAddress, int> Ports);

[Message]
public sealed record PointForm(IPEndPoint Value, IPEndPoint? More = null);

[Message]
public sealed record BuilderForm(StringBuilder Value, StringBuilder? More = null);

[Message]
public sealed record TupleClassForm(Tuple<int, string?> Value, Tuple<byte>? More, Tuple<byte, byte, byte, byte, byte, byte, byte, Tuple<byte>>? Nested = null);

[Message]
public sealed record QueueForm(PriorityQueue<string, int> Value);

[Message]
public sealed record TableForm(int[,] Value, string?[,,]? More = null, byte[][,]? Last = null);

public struct Tile
{
    public byte Kind;
    public bool IsOpen { get; set; }
    public (short, Tile2) Place;
}

public readonly record struct Tile2(bool Value, long Item1);

[Message]
public sealed record TileForm(Tile Value, Tile2[]? More = null, Dictionary<Tile2, Tile?>? Map = null);

#nullable disable
[Message]
public sealed class ObliviousAddresses
{
    public Dictionary<IPAddress, int> Value { get; set; }
}
#nullable restore

[Message]
public sealed record NativeForm(nint Value, nuint More, Dictionary<nint, nuint>? Map = null);

[Message(Pooled = true)]
public sealed class PooledSurrogates
{
    public BigInteger Big { get; set; } = 7;
    public Point Place { get; set; } = new(1, 2);
    public Dictionary<Rune, KeyValuePair<string, Index>> Map { get; set; } = [];
}

/// <summary>Types of the framework that are sent as a value of another type.</summary>
public sealed class SurrogateTests
{
    [Fact]
    public void Value_is_sent_as_its_surrogate_and_read_back()
    {
        AssertBytes(new PairForm(new("hi", 5)), "03 68 69 05 00 00 00");
        AssertBytes(new OneItemForm(new("hi")), "03 68 69");
        AssertBytes(new BigForm(-129), "03 7F FF");
        AssertBytes(new BigForm(0), "02 00");
        AssertBytes(new ComplexForm(new Complex(1.5, -2.5)), "00 00 00 00 00 00 F8 3F 00 00 00 00 00 00 04 C0");
        AssertBytes(new RuneForm(new Rune(0x1F600)), "00 F6 01 00");
        AssertBytes(new IndexForm(3), "03 00 00 00");
        AssertBytes(new IndexForm(^0), "FF FF FF FF");
        AssertBytes(new NativeForm(-2, 3), "FE FF FF FF FF FF FF FF 03 00 00 00 00 00 00 00 00");
        AssertBytes(new RangeForm(1..^2), "01 01 00 00 00 FD FF FF FF");
        AssertBytes(new RangeForm(null), "00");
        AssertBytes(new ColorForm(Color.FromArgb(1, 2, 3, 4)), "04 03 02 01");
        AssertBytes(new DrawnForm(new(1, 2), new(1.5f, 0), new(3, 4), new(0, 1.5f), new(5, 6, 7, 8), new(1.5f, 0, 0, 1.5f)), "01 00 00 00 02 00 00 00 00 00 C0 3F 00 00 00 00 03 00 00 00 04 00 00 00 00 00 00 00 00 00 C0 3F 05 00 00 00 06 00 00 00 07 00 00 00 08 00 00 00 00 00 C0 3F 00 00 00 00 00 00 00 00 00 00 C0 3F");
    }

    [Fact]
    public void Bits_are_sent_as_an_array_of_bool_is()
    {
        var read = Payload.Read<BitsForm>(Payload.Of(new BitsForm(null, new BitArray([true, false, true]))));

        Assert.Equal([0, 4, 1, 0, 1], Payload.Of(read));
        Assert.Null(read.Value);
        Assert.Equal(3, read.More.Length);
        Assert.False(Payload.TryRead<BitsForm>([0, 0], out _));
        Assert.Empty(Payload.Read<BitsForm>([]).More);
        Assert.Contains("BitsForm.More is null", Assert.Throws<InvalidOperationException>(static () => Payload.Of(new BitsForm(null, null!))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Pairs_hold_collections_and_nulls()
    {
        var read = Payload.Read<PairsForm>(Payload.Of(new PairsForm([new("a", [1, 2]), new(null, null)]))).Value!;

        Assert.Equal("a,", string.Join(',', read.ConvertAll(static one => one.Key)));
        Assert.Equal([1, 2], read[0].Value!);
        Assert.Contains("An item in Reloaded.Messaging.Tests.Generated.PairForm.Value is null", Assert.Throws<InvalidOperationException>(static () => Payload.Of(new PairForm(new(null!, 1)))).Message, StringComparison.Ordinal);
        Assert.False(Payload.TryRead<PairForm>([0, 5, 0, 0, 0], out _));
    }

    [Fact]
    public void Address_is_sent_as_its_bytes()
    {
        AssertBytes(new AddressForm(IPAddress.Parse("10.1.2.3")), "05 0A 01 02 03 00");
        AssertBytes(new AddressForm(IPAddress.IPv6Loopback, IPAddress.Loopback), "11 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 05 7F 00 00 01");
        Assert.Equal(IPAddress.Parse("fe80::1"), Payload.Read<AddressForm>(Payload.Of(new AddressForm(IPAddress.Parse("fe80::1%3")))).Value);
        Assert.Equal(IPAddress.Any, Payload.Read<AddressForm>([]).Value);
        Assert.Contains("AddressForm.Value is null", Assert.Throws<InvalidOperationException>(static () => Payload.Of(new AddressForm(null!))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Thousand_addresses_stay_in_the_budget()
    {
        var addresses = Enumerable.Range(0, 1000).Select(static i => new IPAddress([10, 0, (byte)(i >> 8), (byte)i])).ToList();
        var read = Payload.Read<AddressesForm>(Payload.Of(new AddressesForm(addresses, addresses.ToDictionary(static one => one, static one => (int)one.GetAddressBytes()[3]))));

        Assert.Equal(addresses, read.Value);
        Assert.Equal(1000, read.Ports.Count);
        Assert.Equal(7, read.Ports[addresses[7]]);
    }

    [Theory]
    [InlineData("00 00")]
    [InlineData("01 00")]
    [InlineData("04 0A 01 02 00")]
    [InlineData("06 0A 01 02 03 04 00")]
    [InlineData("05 0A 01 02 03 01")]
    public void Bytes_that_are_no_address_are_refused(string bytes) => Assert.False(Payload.TryRead<AddressForm>(PageTable.Bytes(bytes), out _));

    [Fact]
    public void Key_that_is_null_is_refused_without_annotations() => Assert.False(Payload.TryRead<ObliviousAddresses>([2, 0, 1, 0, 0, 0], out _));

    [Fact]
    public void Endpoint_is_sent_as_its_address_and_port()
    {
        AssertBytes(new PointForm(new(IPAddress.Loopback, 258)), "01 05 7F 00 00 01 02 01 00");
        AssertBytes(new PointForm(new(IPAddress.Loopback, 0), new(IPAddress.Any, 65535)), "01 05 7F 00 00 01 00 00 01 05 00 00 00 00 FF FF");
        Assert.Equal(new IPEndPoint(IPAddress.Any, 0), Payload.Read<PointForm>([]).Value);
        Assert.False(Payload.TryRead<PointForm>([0], out _));
        Assert.False(Payload.TryRead<PointForm>([1, 0, 0, 0], out _)); // no address
    }

    [Fact]
    public void Builder_is_sent_as_its_text()
    {
        var read = Payload.Read<BuilderForm>(Payload.Of(new BuilderForm(new("hi"))));

        Assert.Equal([3, 104, 105, 0], Payload.Of(read));
        Assert.Equal("hi", read.Value.ToString());
        Assert.Null(read.More);
        Assert.Equal("", Payload.Read<BuilderForm>([]).Value.ToString());
        Assert.False(Payload.TryRead<BuilderForm>([0], out _));
    }

    [Fact]
    public void Tuple_that_is_a_class_is_sent_as_one_that_may_be_null()
    {
        AssertBytes(new TupleClassForm(new(1, null), new(2)), "01 01 00 00 00 00 01 02 00");
        AssertBytes(new TupleClassForm(new(1, "a"), null, Tuple.Create<byte, byte, byte, byte, byte, byte, byte, byte>(1, 2, 3, 4, 5, 6, 7, 8)), "01 01 00 00 00 02 61 00 01 01 02 03 04 05 06 07 08");
        Assert.False(Payload.TryRead<TupleClassForm>([], out _));
        Assert.False(Payload.TryRead<TupleClassForm>([0], out _));
    }

    [Fact]
    public void Priority_queue_is_sent_as_its_items_with_their_priorities()
    {
        var queue = new PriorityQueue<string, int>([("b", 2), ("a", 1), ("c", 3)]);
        var payload = Payload.Of(new QueueForm(queue));
        var read = Payload.Read<QueueForm>(payload).Value;

        Assert.Equal(1 + (3 * 6), payload.Length);
        Assert.Equal("abc", read.Dequeue() + read.Dequeue() + read.Dequeue());
        Assert.Equal(0, Payload.Read<QueueForm>([]).Value.Count);
        Assert.False(Payload.TryRead<QueueForm>(payload[..^1], out _));
    }

    [Fact]
    public void Struct_with_padding_and_public_fields_is_sent_field_by_field()
    {
        AssertBytes(new TileForm(new() { Kind = 1, IsOpen = true, Place = (2, new(true, 3)) }), "01 01 02 00 01 03 00 00 00 00 00 00 00 00 00");
        var more = Payload.Read<TileForm>(Payload.Of(new TileForm(default, [new(true, 4)], new() { [new(true, 5)] = new() { Kind = 6 }, [default] = null })));
        Assert.Equal(new Tile2(true, 4), Assert.Single(more.More!));
        Assert.Equal((6, null), ((int)more.Map![new(true, 5)]!.Value.Kind, more.Map[default]));
        Assert.False(Payload.TryRead<TileForm>([1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], out _)); // no bool
        Assert.Contains("Value (Kind u1:IsOpen b:Place (i2:(Value b:i8)))", MessageContract.GetDeclared<TileForm>().Shape!.Layout, StringComparison.Ordinal);
    }

    [Fact]
    public void Array_of_several_dimensions_is_sent_as_its_lengths_and_items()
    {
        var bytes = PageTable.Bytes("01 01 00 00 00 02 00 00 00 03 05 00 00 00 06 00 00 00 01 01 00 00 00 01 00 00 00 02 00 00 00 03 02 61 00 02 01 01 00 00 00 01 00 00 00 02 07");
        var value = new TableForm(new[,] { { 5, 6 } }, new[, ,] { { { "a", null } } }, [new byte[,] { { 7 } }]);
        var read = Payload.Read<TableForm>(bytes);

        Assert.Equal(bytes, Payload.Of(value));
        Assert.Equal(value.Value, read.Value);
        Assert.Equal(value.More, read.More);
        Assert.Equal(value.Last, read.Last);
        for (var cut = 1; cut < bytes.Length; cut++)
            Payload.TryRead<TableForm>(bytes[..cut], out _);
        Assert.Empty(Payload.Read<TableForm>([]).Value);
    }

    [Fact]
    public void Array_without_items_keeps_its_lengths()
    {
        var read = Payload.Read<TableForm>(Payload.Of(new TableForm(new int[5, 0], new string?[0, 7, 0x7FFFFFC7])));

        Assert.Equal((5, 0), (read.Value.GetLength(0), read.Value.GetLength(1)));
        Assert.Equal((0, 7, 0x7FFFFFC7), (read.More!.GetLength(0), read.More.GetLength(1), read.More.GetLength(2)));
    }

    [Theory]
    [InlineData("00")]
    [InlineData("02")]
    [InlineData("01 02 00 00 00 02 00 00 00 03 05 00 00 00 06 00 00 00")] // two items for four places
    [InlineData("01 01 00 00 00 01 00 00 00 03 05 00 00 00 06 00 00 00")] // two items for one place
    [InlineData("01 01 00 00 00 01 00 00 00 00")] // null items
    [InlineData("01 00 00 00 00 01 00 00 00 00")]
    [InlineData("01 FF FF FF FF FF FF FF FF 02 05 00 00 00")] // -1 by -1
    [InlineData("01 FF FF FF 7F FF FF FF 7F 01")]
    [InlineData("01 00 00 00 00 C8 FF FF 7F 01")] // one more than an array may have
    [InlineData("01 00 00 00 00 00 00 00 00 01 01 FF FF FF 7F FF FF FF 7F 00 00 00 00 01")] // a product that the runtime refuses
    public void Lengths_that_are_not_those_of_the_items_are_refused(string bytes) => Assert.False(Payload.TryRead<TableForm>(PageTable.Bytes(bytes), out _));

    [Fact]
    public void Missing_values_are_zero()
    {
        Assert.Equal(0, Payload.Read<BigForm>([]).Value);
        Assert.Equal(default, Payload.Read<PairForm>([]).Value);
        Assert.Equal(Index.Start, Payload.Read<IndexForm>([]).Value);
        Assert.Equal(0, Payload.Read<ColorForm>([]).Value.ToArgb());
    }

    [Theory]
    [InlineData("00 D8 00 00")] // half of a surrogate pair
    [InlineData("00 00 11 00")]
    [InlineData("FF FF FF FF")]
    [InlineData("00 F6 01")]
    public void Number_that_is_no_rune_is_refused(string bytes) => Assert.False(Payload.TryRead<RuneForm>(PageTable.Bytes(bytes), out _));

    [Theory]
    [InlineData("00")]
    [InlineData("03 7F")]
    [InlineData("FF FF FF FF 0F")]
    public void Malformed_big_number_is_refused(string bytes) => Assert.False(Payload.TryRead<BigForm>(PageTable.Bytes(bytes), out _));

    [Fact]
    public void Pooled_message_has_the_initial_value_of_a_missing_one()
    {
        var got = "";
        var receiver = new PooledReceiver<PooledSurrogates>(message => got = $"{message.Big} {message.Place} {message.Map.Count}");

        receiver.Receive(Payload.Of(new PooledSurrogates { Big = 1, Place = new(3, 4), Map = { [new Rune('a')] = new("b", ^1) } }));
        Assert.Equal("1 {X=3,Y=4} 1", got);
        receiver.Receive([]);
        Assert.Equal("7 {X=1,Y=2} 0", got);
    }

    private static void AssertBytes<T>(T value, string bytes)
    {
        Assert.Equal(PageTable.Bytes(bytes), Payload.Of(value));
        Assert.Equal(value, Payload.Read<T>(PageTable.Bytes(bytes)));
        for (var cut = 1; cut < PageTable.Bytes(bytes).Length; cut++)
        {
            if (Payload.TryRead<T>(PageTable.Bytes(bytes)[..cut], out var read))
                Payload.Of(read);
        }
    }
}
