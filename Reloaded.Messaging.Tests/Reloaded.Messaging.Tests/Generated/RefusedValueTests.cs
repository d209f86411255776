using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Message]
public sealed record LabelsForm(List<Dictionary<(int Number, string Name), (HashSet<string> Tags, string Text)>> Value);

/// <summary>What a sender may not send: it throws, says what, and the writer is as good as before.</summary>
public sealed class RefusedValueTests
{
    private const int Deepest = 63;

    [Fact]
    public void Null_in_a_member_that_never_is_null_throws_and_names_it()
    {
        Assert.Contains("RequiredForm.Value", Thrown(new RequiredForm(null!)), StringComparison.Ordinal);
        Assert.Contains("NotificationBatch.Items", Thrown(new NotificationBatch { Items = null! }), StringComparison.Ordinal);
        Assert.Contains("An item in Reloaded.Messaging.Tests.Generated.NotificationBatch.Items is null", Thrown(new NotificationBatch { Items = [null!] }), StringComparison.Ordinal);
        Assert.Contains("An item in Reloaded.Messaging.Tests.Generated.JaggedForm.Value is null", Thrown(new JaggedForm([null!])), StringComparison.Ordinal);
        Assert.Contains(
            "A value in Reloaded.Messaging.Tests.Generated.NotificationBatch.Extra is null",
            Thrown(new NotificationBatch { Extra = new() { ["a"] = null! } }),
            StringComparison.Ordinal);
        Assert.Contains("Tolerant.Text", Thrown(new Tolerant(1, null!, null)), StringComparison.Ordinal);
    }

    [Fact]
    public void Null_inside_of_several_collections_throws_and_names_their_member() => Assert.Contains(
        "An item in Reloaded.Messaging.Tests.Generated.LabelsForm.Value is null",
        Thrown(new LabelsForm([new() { [(1, "a")] = (["b"], null!) }])),
        StringComparison.Ordinal);

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    [InlineData(64)]
    public void Half_of_a_surrogate_pair_throws_and_names_its_member(int index)
    {
        var text = new string('a', index) + "\uD83D";
        foreach (var pack in new Func<PackedMessage>[]
        {
            () => new MessageWriter().Pack(new LabelsForm([new() { [(1, text)] = ([], "") }])),
            () => new MessageWriter().Pack(new LabelsForm([new() { [(1, "")] = ([text], "") }])),
            () => new MessageWriter().Pack(new LabelsForm([new() { [(1, "")] = ([], text) }])),
        })
        {
            var error = Assert.Throws<EncoderFallbackException>(() => pack().Dispose()).Message;
            Assert.Contains($"Reloaded.Messaging.Tests.Generated.LabelsForm.Value has half of a surrogate pair at index {index}", error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Null_in_place_of_a_message_throws()
    {
        Assert.Throws<ArgumentNullException>(static () => new MessageWriter().Pack<Square>(null!));
        Assert.Throws<ArgumentNullException>(static () => new MessageWriter().Pack<Figure>(null!));
    }

    [Fact]
    public void A_type_that_the_union_does_not_name_throws_and_is_named()
    {
        Assert.Contains("Triangle", Thrown<Figure>(new Triangle()), StringComparison.Ordinal);
        Assert.Contains("Triangle", Thrown(new UnionForm(new Triangle())), StringComparison.Ordinal);
    }

    [Fact]
    public void A_union_names_very_types_and_not_those_derived_from_them() => Assert.Contains("Ring", Thrown<INoise>(new Ring()), StringComparison.Ordinal);

    [Fact]
    public void Sixty_four_messages_inside_of_one_another_are_sent_and_one_more_throws()
    {
        var writer = new MessageWriter();
        Assert.Equal(Deepest, Payload.Read<Chain>(Payload.Of(Chain.Of(Deepest))).Depth);
        for (var i = 0; i < 3; i++) // what was too deep leaves no depth behind
        {
            Assert.Contains("64 messages are inside each other at Reloaded.Messaging.Tests.Generated.Chain.Next", Assert.Throws<InvalidOperationException>(() => writer.Pack(Chain.Of(Deepest + 1))).Message, StringComparison.Ordinal);
            writer.Pack(Chain.Of(Deepest)).Dispose();
        }
    }

    [Fact]
    public void A_message_that_refers_back_to_itself_throws()
    {
        var chain = new Chain();
        chain.Next = chain;
        Assert.Throws<InvalidOperationException>(() => new MessageWriter().Pack(chain));
    }

    [Fact]
    public void Deeper_messages_are_refused_when_read()
    {
        var payload = Payload.Of(Chain.Of(Deepest));
        Assert.True(Payload.TryRead<Chain>(payload, out _));
        Assert.False(Payload.TryRead<Chain>(Nest(payload), out _));
        for (var i = 0; i < 10_000; i++)
            payload = Nest(payload);
        Assert.False(Payload.TryRead<Chain>(payload, out _));
    }

    [Fact]
    public void A_field_of_a_version_tolerant_message_counts_as_deep_as_a_message()
    {
        Assert.Equal(31, Payload.Read<TolerantChain>(Payload.Of(TolerantChain.Of(31))).Depth);
        Assert.Throws<InvalidOperationException>(static () => Payload.Of(TolerantChain.Of(32)));
    }

    /// <summary>A payload inside of one more message.</summary>
    private static byte[] Nest(byte[] payload)
    {
        var prefix = (uint)payload.Length + 1;
        var bytes = new byte[5];
        var size = Reloaded.Messaging.Wire.UVarint.Write(bytes, prefix);
        return [.. bytes.AsSpan(0, size), .. payload];
    }

    private static string Thrown<T>(T message) => Assert.Throws<InvalidOperationException>(() => new MessageWriter().Pack(message)).Message;
}
