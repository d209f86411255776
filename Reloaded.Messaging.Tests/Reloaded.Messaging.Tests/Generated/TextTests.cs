using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class TextTests
{
    // Around each length at which the prefix or the way of writing changes.
    private static readonly int[] s_lengths = [0, 1, 42, 43, 126, 127, 128, 1023, 1024, 1025, 16382, 16383, 16384];

    public static TheoryData<int, string> Texts { get; } = MakeTexts();

    [Theory]
    [MemberData(nameof(Texts))]
    public void Text_of_any_length_arrives(int length, string letter)
    {
        var text = new StringBuilder().Insert(0, letter, length).ToString();
        var bytes = Encoding.UTF8.GetByteCount(text);
        var payload = Payload.Of(new StringForm(text));

        Assert.Equal(text, Payload.Read<StringForm>(payload).Value);
        Assert.Equal(text, Payload.Read<RequiredForm>(payload).Value);
        Assert.Equal(text, Payload.Read<InternedForm>(payload).Value);
        Assert.Equal(bytes + (bytes + 1 < 128 ? 1 : bytes + 1 < 16384 ? 2 : 3), payload.Length);
    }

    [Theory]
    [InlineData("file:///a/b c", "file:///a/b%20c")]
    [InlineData("//host/a", "file://host/a")]
    [InlineData("c:\\a b", "file:///c:/a%20b")]
    [InlineData("my:a", "my:a")]
    public void Absolute_address_arrives_as_an_absolute_one(string text, string address)
    {
        var read = Payload.Read<UriForm>(Payload.Of(new UriForm(new Uri(text, UriKind.Absolute)))).Value!;

        Assert.True(read.IsAbsoluteUri);
        Assert.Equal(address, read.AbsoluteUri);
        Assert.Equal("/a", Payload.Read<UriForm>(Payload.Of(new UriForm(new Uri("/a", UriKind.Relative)))).Value!.OriginalString);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(41)]
    [InlineData(500)]
    public void Half_of_a_surrogate_pair_throws_and_leaves_nothing_behind(int before)
    {
        var writer = new MessageWriter();
        Assert.Throws<EncoderFallbackException>(() => writer.Pack(new StringForm(new string('a', before) + "\uD83D")));

        using var next = writer.Pack(new StringForm("hi"));
        Assert.Equal([3, (byte)'h', (byte)'i'], next.Span.Slice(next.Span.Length - 3).ToArray());
        Assert.Equal(4 + 3 + 2, next.Span.Length); // a derived id takes four bytes, behind two
    }

    [Fact]
    public void A_message_that_throws_leaves_a_batch_as_it_was()
    {
        using var batch = new MessageBatch();
        var writer = new MessageWriter();
        writer.Append(batch, new RequiredForm("one"));
        var before = batch.Span.ToArray();
        Assert.Throws<EncoderFallbackException>(() => writer.Append(batch, new RequiredForm("\uDC00")));
        Assert.Throws<InvalidOperationException>(() => writer.Append(batch, new RequiredForm(null!)));

        Assert.Equal(before, batch.Span.ToArray());
        writer.Append(batch, new RequiredForm("two"));
        string? got = null;
        var dispatcher = new MessageDispatcher<string?>();
        dispatcher.Register<RequiredForm>(static (in RequiredForm message, ref string? state) => state += message.Value);
        foreach (var message in batch)
            Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(message, ref got));
        Assert.Equal("onetwo", got);
    }

    private static TheoryData<int, string> MakeTexts()
    {
        var data = new TheoryData<int, string>();
        foreach (var length in s_lengths)
        {
            foreach (var letter in new[] { "a", "ß", "\u4f60", "\U0001F600", "\0" })
                data.Add(length, letter);
        }

        return data;
    }
}
