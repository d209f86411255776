using Reloaded.Messaging.Tests.Hostile;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class MessageShapeTests
{
    private static MessageShape Of<T>() => MessageContract.GetDeclared<T>().Shape!;

    [Fact]
    public void Messages_to_which_fields_were_appended_compare_as_equal()
    {
        Assert.Equal(-1, Of<SettingsV1>().FindDifference(Of<SettingsV2>().Fields));
        Assert.Equal(-1, Of<SettingsV2>().FindDifference(Of<SettingsV1>().Fields));
        Assert.Equal(-1, Of<SettingsV1>().FindDifference(Of<RecordV2>().Fields));
        Assert.Equal(-1, Of<PointV2>().FindDifference(Of<PointV1>().Fields));
    }

    [Fact]
    public void The_first_field_that_differs_is_named()
    {
        Assert.Equal(("Name", "Size"), (First<SettingsV1, MovedV1>(), First<MovedV1, SettingsV1>()));
        Assert.Equal("Size", First<SettingsV1, RetypedV1>());
        Assert.Equal("Text", First<RequiredV2, SettingsV2>());
    }

    [Fact]
    public void Numbered_messages_compare_the_fields_that_both_have()
    {
        Assert.Equal(-1, Of<LooseV1>().FindDifference(Of<LooseV2>().Fields));
        Assert.Equal(-1, Of<LooseV2>().FindDifference(Of<LooseV1>().Fields));
        Assert.Equal("Text", First<LooseV1, Retyped5>());
    }

    [Fact]
    public void A_numbered_message_never_is_an_ordinary_one() => Assert.Equal("Number", First<LooseV1, Int32Form>());

    [Fact]
    public void A_contract_made_by_hand_of_a_generated_serializer_has_its_fields_unless_told_others()
    {
        var serializer = MessageContract.GetDeclared<SettingsV1>().Serializer;
        var others = Of<MovedV1>();

        Assert.Same(Of<SettingsV1>(), new MessageContract<SettingsV1>(1050, serializer).Shape);
        Assert.Same(others, new MessageContract<SettingsV1>(1050, serializer, shape: others).Shape);
        Assert.Null(new MessageContract<SettingsV1>(1050, new CountingSerializer<SettingsV1>(serializer, new ReadCounter())).Shape);
    }

    [Fact]
    public void Nothing_is_different_from_nothing() => Assert.Equal(-1, Of<Square>().FindDifference([]));

    [Fact]
    public void Garbage_from_the_other_end_gets_an_answer()
    {
        var noise = new Noise(99);
        var shape = Of<Everything>();
        for (var i = 0; i < 20_000; i++)
        {
            var other = new ulong[noise.Below(30)];
            for (var k = 0; k < other.Length; k++)
                other[k] = noise.Next() >> noise.Below(64);
            Assert.InRange(shape.FindDifference(other), -1, shape.Fields.Length - 1);
        }

        Assert.Equal(0, shape.FindDifference([1UL << 32]));
    }

    [Fact]
    public void Names_and_fields_that_do_not_fit_throw() => Assert.Throws<ArgumentOutOfRangeException>(static () => new MessageShape(["a"], []));

    private static string First<TOne, TOther>() => Of<TOne>().GetName(Of<TOne>().FindDifference(Of<TOther>().Fields));
}

[Message(VersionTolerant = true)]
public sealed record Retyped5([MessageField(5)] int Text);
