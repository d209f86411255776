using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class PayloadWriterTests
{
    private delegate void Write(MessageBuffer buffer);

    [Fact]
    public void Blocks_of_spans_and_lists_are_their_items()
    {
        byte[] expected = [1, 0, 254, 255];
        Assert.Equal(expected, Written(static buffer => buffer.WriteBlock(new ReadOnlySpan<short>([1, -2]))));
        Assert.Equal(expected, Written(static buffer => buffer.WriteBlock(new List<short> { 1, -2 })));
        Assert.Empty(Written(static buffer => buffer.WriteBlock(new List<short>())));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(126, 1)]
    [InlineData(127, 2)]
    [InlineData(16382, 2)]
    [InlineData(16383, 3)]
    [InlineData(100_000, 3)]
    public void What_is_nested_has_its_length_in_front_however_long_that_is(int length, int prefix)
    {
        var written = Written(buffer =>
        {
            buffer.WriteUVarint(300);
            var start = buffer.StartNested();
            for (var i = 0; i < length; i++)
                buffer.WriteFixed((byte)i);
            buffer.EndNested(start);
            buffer.WriteBoolean(true);
        });
        Assert.Equal(2 + prefix + length + 1, written.Length);
        var reader = new PayloadReader(written);
        Assert.True(reader.TryReadUVarint(out var number));
        Assert.Equal(300u, number);
        Assert.True(reader.TryEnter(0, out _, out var end));
        for (var i = 0; i < length; i++)
        {
            Assert.True(reader.TryReadFixed(out byte value));
            Assert.Equal((byte)i, value);
        }

        Assert.True(reader.IsAtEnd);
        reader.Leave(end);
        Assert.True(reader.TryReadBoolean(out var flag) && flag && reader.IsAtEnd);
    }

    [Fact]
    public void Nested_lengths_that_grow_move_what_is_around_them()
    {
        var written = Written(static buffer =>
        {
            var outer = buffer.StartNested();
            var inner = buffer.StartNested();
            buffer.WriteString(new string('x', 200));
            buffer.EndNested(inner);
            buffer.WriteString("end");
            buffer.EndNested(outer);
        });
        var reader = new PayloadReader(written);
        Assert.True(reader.TryEnter(0, out _, out var outerEnd));
        Assert.True(reader.TryEnter(0, out _, out var innerEnd));
        Assert.True(reader.TryReadRequiredString(out var text));
        Assert.Equal(200, text.Length);
        reader.Leave(innerEnd);
        Assert.True(reader.TryReadRequiredString(out text));
        Assert.Equal("end", text);
        reader.Leave(outerEnd);
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void A_message_of_exactly_the_limit_is_written_and_a_longer_one_throws()
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000 });
        const int Header = 6; // the extended one, and a derived id
        var text = new string('x', 1000 - Header - 2);
        writer.Pack(new StringForm(text)).Dispose();
        Assert.Throws<MessageTooLargeException>(() => writer.Pack(new StringForm(text + "x")));

        // Short strings ask for room for the most that they may take; that isn't what counts.
        var names = new List<string?>();
        for (var i = 0; i < 331; i++)
            names.Add(i == 0 ? "a" : "ab");
        using (var list = writer.Pack(new ListForm(names)))
            Assert.Equal(1000, list.Span.Length);
        names[0] = "abc";
        Assert.Throws<MessageTooLargeException>(() => writer.Pack(new ListForm(names)));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void A_run_of_less_than_nothing_is_refused(int size) => AssertRefused(size, buffer => buffer.StartRun(size));

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    [InlineData(3)] // behind what was written: the message's type, and a length
    [InlineData(int.MaxValue)]
    public void What_was_started_nowhere_in_the_message_is_not_ended(int start) => AssertRefused(start, buffer =>
    {
        buffer.StartNested();
        buffer.EndNested(start);
    });

    [Fact]
    public void Numbers_are_turned_around_for_machines_that_store_them_so()
    {
        Assert.Equal([2, 1, 4, 3], Reversed<short>([1, 2, 3, 4]));
        Assert.Equal([4, 3, 2, 1, 8, 7, 6, 5], Reversed<float>([1, 2, 3, 4, 5, 6, 7, 8]));
        Assert.Equal([8, 7, 6, 5, 4, 3, 2, 1], Reversed<double>([1, 2, 3, 4, 5, 6, 7, 8]));
        Assert.Equal([2, 1], Reversed<Level>([1, 2]));
        Assert.Equal([1, 2], Reversed<byte>([1, 2]));
        Assert.Throws<NotSupportedException>(static () => Reversed<Guid>(new byte[16]));
        Assert.Throws<NotSupportedException>(static () => Reversed<Shift>(new byte[12]));
    }

    private static byte[] Reversed<T>(byte[] bytes)
        where T : unmanaged
    {
        LittleEndian.Reverse<T>(bytes);
        return bytes;
    }

    private static void AssertRefused(int argument, Write write) =>
        Assert.Equal(argument, Assert.Throws<ArgumentOutOfRangeException>(() => Written(write)).ActualValue);

    private static byte[] Written(Write write)
    {
        using var packed = new MessageWriter().Pack(new MessageContract<Write>(1, new Calling()), write);
        return packed.Span.Slice(1).ToArray();
    }

    private sealed class Calling : IMessageSerializer<Write>
    {
        public string Name => "calling";

        public void Serialize(in Write value, MessageBuffer buffer) => value(buffer);

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out Write value) => throw new NotSupportedException();
    }
}
