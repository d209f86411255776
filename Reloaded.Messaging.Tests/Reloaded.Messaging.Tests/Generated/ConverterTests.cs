using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Types that a converter of the program sends as a value of another type.</summary>
public sealed class ConverterTests
{
    [Fact]
    public void Class_is_sent_as_a_number_after_a_byte_for_null()
    {
        AssertBytes(new TintForm(Tint.Of(5)), "01 05 00 00 00 00", static one => $"{one.Value.Pack()} {one.More?.Pack()}");
        AssertBytes(new TintForm(Tint.Of(5), Tint.Of(6)), "01 05 00 00 00 01 06 00 00 00", static one => $"{one.Value.Pack()} {one.More?.Pack()}");
        AssertBytes(new TintsForm([null, Tint.Of(1)], new() { ["a"] = Tint.Of(2) }, [(Tint.Of(3), 4)]), "03 00 01 01 00 00 00 02 02 61 01 02 00 00 00 02 01 03 00 00 00 04 00 00 00", static one => $"{string.Join(',', one.List.Select(static item => item?.Pack()))} {string.Join(',', one.Map.Select(static pair => (pair.Key, pair.Value.Pack())))} {string.Join(',', one.Pairs.Select(static pair => (pair.A.Pack(), pair.B)))}");
    }

    [Fact]
    public void Struct_is_sent_as_a_tuple_also_where_its_bytes_could_be_sent()
    {
        AssertBytes(new FineForm((1, 2), (3, 4), [(5, 6)]), "01 00 02 00 01 03 00 04 00 02 05 00 06 00", static one => $"{one.Value} {one.More} {string.Join(',', one.Set)}");
        AssertBytes(new TwoFine((1, 2), (3, 4)), "01 00 02 00 03 00 04 00", static one => $"{one.A} {one.B}");
    }

    [Fact]
    public void Converter_of_a_member_applies_to_this_member_and_its_items()
    {
        var second = TimeSpan.FromSeconds(1);
        AssertBytes(new WaitForm(second * 2, new TimeSpan(1), [second, null]), "02 00 00 00 01 00 00 00 00 00 00 00 03 01 01 00 00 00 00", static one => $"{one.Value} {one.Plain} {string.Join(',', one.List!)}");
        AssertBytes(new TolerantTint { Tint = Tint.Of(1), Wait = second }, "01 06 01 01 00 00 00 02 05 01 00 00 00", static one => $"{one.Tint?.Pack()} {one.Wait}");
        Assert.Equal(TimeSpan.FromSeconds(3), Payload.Read<TolerantTint>([]).Wait);
    }

    [Theory]
    [InlineData("00")] // null
    [InlineData("01 FF FF FF FF")] // refused by the converter
    [InlineData("02 05 00 00 00")]
    [InlineData("01 05 00 00 00 01 FF FF FF FF")]
    public void Surrogate_that_is_no_value_is_refused(string bytes) => Assert.False(Payload.TryRead<TintForm>(PageTable.Bytes(bytes), out _));

    [Theory]
    [InlineData("64 00 00 00")]
    [InlineData("01 00 00 00 01 00 00 00 00 00 00 00 02 01 64 00 00 00")]
    public void Number_that_a_converter_refuses_is_malformed_at_any_depth(string bytes) => Assert.False(Payload.TryRead<WaitForm>(PageTable.Bytes(bytes), out _));

    [Fact]
    public void Missing_class_that_never_is_null_is_refused_and_a_struct_is_its_default()
    {
        Assert.False(Payload.TryRead<TintForm>([], out _));
        Assert.Null(Payload.Read<TintForm>([1, 5, 0, 0, 0]).More);
        Assert.Equal(default, Payload.Read<WaitForm>([]).Value);
    }

    [Fact]
    public void Exception_of_a_converter_is_the_cause_of_one_that_names_the_member()
    {
        var sent = Assert.Throws<InvalidOperationException>(static () => Payload.Of(new TextureForm(new("fine"), new("thrown"))));
        Assert.Equal("Reloaded.Messaging.Tests.Generated.TextureForm.More could not be converted to send it: Reloaded.Messaging.Tests.Generated.EngineConverters threw System.NotSupportedException: no texture", sent.Message);
        Assert.IsType<NotSupportedException>(sent.InnerException);

        var received = Assert.Throws<InvalidOperationException>(static () => Payload.TryRead<TextureForm>([2, 65, 7, .. "broken"u8], out _));
        Assert.StartsWith("Reloaded.Messaging.Tests.Generated.TextureForm.More could not be converted to receive it: ", received.Message, StringComparison.Ordinal);
        Assert.IsType<NotSupportedException>(received.InnerException);
    }

    [Fact]
    public void Null_of_a_converter_is_not_sent_and_not_received()
    {
        Assert.Contains("The surrogate of Reloaded.Messaging.Tests.Generated.TextureForm.Value is null", Assert.Throws<InvalidOperationException>(static () => Payload.Of(new TextureForm(new("null")))).Message, StringComparison.Ordinal);
        Assert.Contains("TextureForm.Value is null", Assert.Throws<InvalidOperationException>(static () => Payload.Of(new TextureForm(null!))).Message, StringComparison.Ordinal);
        Assert.Null(Payload.Read<TextureForm>([2, 65, 0]).More);
        Assert.False(Payload.TryRead<TextureForm>([0], out _));
        Assert.False(Payload.TryRead<TextureForm>([1], out _)); // the converter gives null
        Assert.False(Payload.TryRead<TextureForm>([2, 65, 1], out _));
    }

    [Fact]
    public void Message_whose_surrogate_is_secret_is_secret()
    {
        AssertBytes(new PassForm(new("hi")), "04 03 68 69", static one => one.Value.Text);
        Assert.True(MessageContract.GetDeclared<PassForm>().IsSecret);
        Assert.False(MessageContract.GetDeclared<TintForm>().IsSecret);
    }

    [Fact]
    public void Tree_of_any_depth_is_sent_as_a_list_of_its_nodes()
    {
        var root = new Branch("root");
        var last = root;
        for (var i = 0; i < 10_000; i++)
            last.Children.AddRange([new($"{i}"), last = new("")]);
        var depth = 0;
        for (var one = Payload.Read<TreeForm>(Payload.Of(new TreeForm(root))).Value; one.Children.Count > 0; one = one.Children.Single(static child => child.Name.Length == 0))
            Assert.Contains($"{depth++}", one.Children.Select(static child => child.Name));

        Assert.Equal(10_000, depth);
        Assert.False(Payload.TryRead<TreeForm>([3, 255, 255, 255, 255, 1, 1, 0, 0, 0, 1], out _)); // its own parent
    }

    [Fact]
    public void Pooled_message_has_the_initial_value_of_a_missing_struct()
    {
        var got = "";
        var receiver = new PooledReceiver<PooledTints>(message => got = $"{message.Main.Pack()} {message.Map.Count} {message.Wait.TotalSeconds}");

        receiver.Receive(Payload.Of(new PooledTints { Main = Tint.Of(1), Map = { [(1, 2)] = null, [(3, 4)] = Tint.Of(5) }, Wait = default }));
        Assert.Equal("1 2 0", got);
        receiver.Receive([1, 7, 0, 0, 0]);
        Assert.Equal("7 0 3", got);
    }

    /// <summary>Asserts the bytes of a value, that they are read as the same value, and that no part of them and no damaged copy throws.</summary>
    private static void AssertBytes<T>(T value, string expected, Func<T, string> print)
    {
        var bytes = PageTable.Bytes(expected);
        Assert.Equal(bytes, Payload.Of(value));
        Assert.Equal(print(value), print(Payload.Read<T>(bytes)));
        for (var cut = 1; cut < bytes.Length; cut++)
            Payload.TryRead<T>(bytes[..cut], out _);
        for (var i = 0; i < bytes.Length * 8; i++)
        {
            var damaged = (byte[])bytes.Clone();
            damaged[i / 8] ^= (byte)(1 << (i % 8));
            if (Payload.TryRead<T>(damaged, out var read))
                Assert.Equal(print(read!), print(Payload.Read<T>(Payload.Of(read!))));
        }
    }
}
