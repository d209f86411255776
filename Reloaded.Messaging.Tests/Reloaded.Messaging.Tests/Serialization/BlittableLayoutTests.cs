using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

public sealed class BlittableLayoutTests
{
    [Fact]
    public void Padding_between_fields_is_refused() => AssertRefused<BlittableStructs.PaddedBetween>("padding at byte 1 of 8", "field 'Early'", "Pack to 1");

    [Fact]
    public void Padding_at_the_end_is_refused() => AssertRefused<BlittableStructs.PaddedAtEnd>("padding at byte 5 of 8", "field 'Last'");

    [Fact]
    public void Padding_in_a_nested_struct_is_refused() => AssertRefused<BlittableStructs.PaddedInside>("padding at byte 9 of 24", "field 'Inner'");

    [Fact]
    public void A_gap_in_an_explicit_layout_is_refused() => AssertRefused<BlittableStructs.ExplicitWithGap>("padding at byte 4 of 12", "field 'First'");

    [Fact]
    public void A_size_beyond_the_fields_is_refused() => AssertRefused<BlittableStructs.LargerThanItsFields>("padding at byte 4 of 16", "field 'Only'");

    [Fact]
    public void A_struct_without_fields_inside_another_is_padding() => AssertRefused<BlittableStructs.WithEmpty>("padding at byte 1 of 2", "field 'Nothing'");

    [Fact]
    public void A_nint_is_refused() => AssertRefused<BlittableStructs.WithNint>("WithNint.Handle", "as wide as the process");

    [Fact]
    public void A_nuint_is_refused() => AssertRefused<BlittableStructs.WithNuint>("WithNuint.Size", "as wide as the process");

    [Fact]
    public void A_pointer_is_refused() => AssertRefused<BlittableStructs.WithPointer>("WithPointer.Target", "pointer");

    [Fact]
    public void A_function_pointer_is_refused() => AssertRefused<BlittableStructs.WithFunctionPointer>("WithFunctionPointer.Callback", "pointer");

    [Fact]
    public void A_bool_is_refused() => AssertRefused<BlittableStructs.WithBool>("WithBool.Flag", "bool");

    [Fact]
    public void A_bool_in_a_nested_struct_is_refused_by_its_path() => AssertRefused<BlittableStructs.WithNestedBool>("WithNestedBool.Nested.Flag", "bool");

    [Fact]
    public void A_fixed_buffer_of_bools_is_refused() => AssertRefused<BlittableStructs.WithFixedBools>("WithFixedBools.Answers", "bool");

    [Fact]
    public void A_date_is_refused_for_its_automatic_layout() => AssertRefused<BlittableStructs.WithDate>("WithDate.When", "automatic layout");

    [Fact]
    public void A_nullable_is_refused_for_its_bool() => AssertRefused<BlittableStructs.WithNullable>("WithNullable.Maybe", "bool");

    [Fact]
    public void A_tuple_is_refused_for_its_automatic_layout() => AssertRefused<BlittableStructs.WithTuple>("WithTuple.Pair", "automatic layout");

    [Fact]
    public void A_vector_of_the_processors_width_is_refused() => AssertRefused<BlittableStructs.WithVector>("WithVector.Wide", "processor");

    [Fact]
    public void Framework_types_whose_bytes_may_be_no_value_or_are_as_wide_as_the_process_are_refused()
    {
        AssertRefused<BlittableStructs.Generic<TimeOnly>>("First", "may be no time", "TimeOnly.Ticks");
        AssertRefused<BlittableStructs.Generic<DateOnly>>("First", "may be no date", "DateOnly.DayNumber");
        AssertRefused<BlittableStructs.Generic<Rune>>("First", "may be no character", "Rune.Value");
        AssertRefused<BlittableStructs.Generic<NFloat>>("First", "as wide as the process", "double");
        AssertRefused<BlittableStructs.Generic<CLong>>("First", "as wide as the platform's long", "Use long");
        AssertRefused<BlittableStructs.Generic<CULong>>("First", "as wide as the platform's long", "Use ulong");
        AssertRefused<DateOnly>("may be no date");
    }

    [Fact]
    public void A_message_that_is_such_a_type_itself_is_refused()
    {
        AssertRefused<bool>("bool");
        AssertRefused<decimal>("decimal.GetBits");
        AssertRefused<BlittableStructs.Generic<decimal>>("First", "decimal");
        AssertRefused<nint>("as wide as the process");
        AssertRefused<DateTime>("automatic layout");
        AssertRefused<BlittableStructs.Generic<bool>>("First", "bool");
    }

    [Fact]
    public void Layouts_without_a_gap_are_sent_whole()
    {
        AssertAccepted<BlittableStructs.Packed>(11);
        AssertAccepted<BlittableStructs.ExplicitWithoutGap>(8);
        AssertAccepted<BlittableStructs.Union>(8);
        AssertAccepted<BlittableStructs.WithFixedBuffer>(16);
        AssertAccepted<BlittableStructs.WithInlineArray>(24);
        AssertAccepted<BlittableStructs.Nested>(16);
        AssertAccepted<BlittableStructs.Generic<short>>(4);
        AssertAccepted<BlittableStructs.Vectors>(32);
    }

    [Fact]
    public void Types_of_fixed_width_are_sent_whole()
    {
        AssertAccepted<BlittableStructs.Many>(56);
        AssertAccepted<BlittableStructs.NumberAndId>(20);
        AssertAccepted<Guid>(16);
        AssertAccepted<char>(2);
        AssertAccepted<TimeSpan>(8);
        AssertAccepted<BlittableStructs.Small>(1);
        AssertAccepted<double>(8);
    }

    private static void AssertRefused<T>(params string[] words)
        where T : unmanaged
    {
        var exception = Assert.Throws<NotSupportedException>(() => new BlittableSerializer<T>());

        Assert.All(words.Append(typeof(T).Name), word => Assert.Contains(word, exception.Message, StringComparison.Ordinal));
    }

    private static void AssertAccepted<T>(int size)
        where T : unmanaged
    {
        var serializer = new BlittableSerializer<T>();
        var bytes = Enumerable.Range(1, size).Select(i => (byte)(i % 10)).ToArray();
        var buffer = new MessageBuffer(home: null);

        Assert.Equal(size, Unsafe.SizeOf<T>());
        Assert.True(serializer.TryDeserialize(bytes, out var value));
        serializer.Serialize(in value, buffer);

        Assert.Equal(bytes, buffer.Written.ToArray());
        Assert.False(serializer.TryDeserialize(bytes.AsSpan(1), out _));
    }
}
