using System.Linq;
using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>Text of every length around the limits of the short paths, with a foreign character at every position.</summary>
public sealed class Utf8TextTests
{
    private const int MaxLength = 40;

    [Theory]
    [InlineData('\u007F')] // the last ASCII character
    [InlineData('\u0080')]
    [InlineData('\u00FF')]
    [InlineData('\u0141')] // its lower byte is an ASCII character
    [InlineData('\u8041')]
    public void Text_is_converted_like_the_encoding_of_the_runtime(char odd)
    {
        var buffer = new byte[MaxLength * 3];
        for (var length = 1; length <= MaxLength; length++)
        {
            for (var position = 0; position < length; position++)
            {
                var text = string.Concat(Enumerable.Range(0, length).Select(i => i == position ? odd : (char)('A' + i)));
                var expected = Encoding.UTF8.GetBytes(text);
                Array.Fill(buffer, (byte)'#');

                var size = Utf8Text.Encode(text, buffer);
                Assert.Equal(expected, buffer[..size]);
                Assert.True(Utf8Text.TryDecode(expected, out var decoded));
                Assert.Equal(text, decoded);
            }
        }
    }

    [Fact]
    public void Bytes_that_are_no_text_are_refused_at_every_position()
    {
        for (var length = 1; length <= MaxLength; length++)
        {
            for (var position = 0; position < length; position++)
            {
                var bytes = Enumerable.Repeat((byte)'a', length).ToArray();
                bytes[position] = 0xFF;
                Assert.False(Utf8Text.TryDecode(bytes, out _));
            }
        }
    }

    [Fact]
    public void Short_paths_write_nothing_after_the_text()
    {
        for (var length = 0; length <= MaxLength; length++)
        {
            var (bytes, characters) = (Enumerable.Repeat((byte)'#', MaxLength + 1).ToArray(), Enumerable.Repeat('#', MaxLength + 1).ToArray());
            ShortAscii.TryNarrow(new string('a', length), bytes);
            ShortAscii.TryWiden(Enumerable.Repeat((byte)'a', length).ToArray(), characters.AsSpan(0, length));
            Assert.All(bytes.Skip(length), one => Assert.Equal((byte)'#', one));
            Assert.All(characters.Skip(length), one => Assert.Equal('#', one));
        }
    }
}
