using System;
using System.Collections;
using System.Collections.Generic;
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
