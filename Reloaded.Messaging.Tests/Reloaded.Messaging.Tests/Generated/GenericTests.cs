using System.Linq;
using Reloaded.Messaging;
using Reloaded.Messaging.Tests.Generated;
using Reloaded.Messaging.Tests.Support;
using Xunit;

[assembly: GenericMessage(typeof(Page<Shift>), 231)]
[assembly: GenericMessage(typeof(Outcome<string>))]

namespace Reloaded.Messaging.Tests.Generated;

[Message]
public sealed record ClosedForms(Page<Shift>? Shifts, Outcome<string> Text, Outcome<int> Number, Couple<float>[] Couples, Duo<int, string?> Duo, List<Page<Page<int?>>> Pages)
{
    public static ClosedForms Some { get; } = new(new([new(1, 2, 3)], 4), new Success<string>("hi"), new Failure<int>("no", 5), [new() { A = 1, B = 2 }], new(6, "seven"), [new([new([1, null])])]);
}

[Message]
[MessageUnion(0, typeof(Success<>))]
[MessageUnion(1, typeof(Failure<>))]
public abstract record Outcome<T>;

[Message]
public sealed record Success<T>(T Value) : Outcome<T>;

[Message]
public sealed record Failure<T>(string Reason, int Code = 1) : Outcome<T>;

[Message]
public readonly record struct Duo<T, TOther>(T A, TOther B);

public struct Couple<T>
{
    public T A;
    public T B;
}

[Message]
public sealed partial class Hidden
{
    [MessageInclude]
    private List<string?> _names = [];

    public Hidden(int health, params string?[] names)
    {
        Health = health;
        _names.AddRange(names);
    }

    private Hidden()
    {
    }

    public int Health { get; private set; } = 7;

    public int Count => _names.Count;

    [MessageInclude]
    internal Page<Hidden?>? Others { get; private set; }

    public static Hidden With(params Hidden?[] others) => new(1, "a", null) { Others = new([.. others]) };
}

[Message]
public sealed record SecretPages(Page<Token> Tokens);

[Message]
public sealed record Token([property: Secret] byte[] Key);

/// <summary>Closed types of generic messages.</summary>
public sealed class GenericTests
{
    private static readonly Type s_undeclared = typeof(Page<Page<int?>>);

    [Fact]
    public void Closed_types_are_sent_like_messages_with_the_same_members()
    {
        var payload = Payload.Of(ClosedForms.Some);

        Assert.Equal(PageTable.Bytes("13 02 0D 00 00 80 3F 00 00 00 40 00 00 40 40 04 00 00 00 05 00 03 68 69 09 01 03 6E 6F 05 00 00 00 02 00 00 80 3F 00 00 00 40 0B 06 00 00 00 06 73 65 76 65 6E 02 12 02 0C 03 01 01 00 00 00 00 03 00 00 00 03 00 00 00"), payload);
        Assert.Equal(payload, Payload.Of(Payload.Read<ClosedForms>(payload)));
    }

    [Fact]
    public void Declared_closed_type_is_sent_by_itself()
    {
        Assert.Equal(231u, MessageContract.GetDeclared<Page<Shift>>().Type);
        Assert.Equal(MessageContract.GetDeclared<Page<Shift>>(), MessageContract.GetDeclared<ClosedForms>().Shape!.Nested[0]);
        Assert.Equal(new Success<string>("hi"), Payload.Read<Outcome<string>>(Payload.Of<Outcome<string>>(new Success<string>("hi"))));
        Assert.Equal(3, Payload.Read<Page<Shift>>([]).Total);
        Assert.Contains("No contract is declared", Assert.Throws<InvalidOperationException>(static () => MessageContract.GetDeclared(s_undeclared)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Secret_in_a_type_argument_makes_the_message_secret()
    {
        Assert.True(MessageContract.GetDeclared<SecretPages>().IsSecret);
        Assert.True(MessageContract.GetDeclared<SecretPages>().Shape!.Nested[0].IsSecret);
        Assert.False(MessageContract.GetDeclared<ClosedForms>().IsSecret);
    }

    [Fact]
    public void Null_in_a_closed_type_is_refused_and_the_member_named()
    {
        Assert.Contains("Success<System.String>.Value is null", Assert.Throws<InvalidOperationException>(static () => Payload.Of<Outcome<string>>(new Success<string>(null!))).Message, StringComparison.Ordinal);
        Assert.False(Payload.TryRead<Outcome<string>>([0, 0], out _));
        Assert.False(Payload.TryRead<Outcome<string>>([2], out _));
    }

    [Fact]
    public void Members_that_are_not_public_are_sent_in_the_order_of_declaration()
    {
        var payload = Payload.Of(Hidden.With(new Hidden(2, "b"), null));

        Assert.Equal(PageTable.Bytes("03 02 61 00 01 00 00 00 10 03 09 02 02 62 02 00 00 00 00 00 03 00 00 00"), payload);
        var read = Payload.Read<Hidden>(payload);
        Assert.Equal((1, 2, 2), (read.Health, read.Count, read.Others!.Items[0]!.Health));
        Assert.Equal((7, 0), (Payload.Read<Hidden>([]).Health, Payload.Read<Hidden>([]).Count));
    }

    [Fact]
    public void Payload_that_ends_early_is_read_as_an_older_one_or_refused()
    {
        var payload = Payload.Of(ClosedForms.Some);
        var read = Enumerable.Range(0, payload.Length).Count(length => Payload.TryRead<ClosedForms>(payload[..length], out _));

        // Without Text or Number, which never are null, the payload is refused. Couples, Duo and Pages may be missing.
        Assert.Equal(3, read);
    }
}
