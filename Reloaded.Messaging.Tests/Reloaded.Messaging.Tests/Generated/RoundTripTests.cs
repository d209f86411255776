using System.Numerics;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class RoundTripTests
{
    private static readonly MessageWriter s_writer = new();

    public static Scalars SomeScalars { get; } = new(
        -1, 2, -3, 4, -5, 6, -7, 8, 1.5f, -2.5, true, 'ß', Level.High, Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"),
        new DateTime(2026, 11, 21, 1, 2, 3, DateTimeKind.Utc), new DateTimeOffset(2026, 11, 21, 1, 2, 3, TimeSpan.FromHours(-5)),
        TimeSpan.FromSeconds(90), -12.345m, new Vector3(1, 2, 3));

    [Fact]
    public void Every_fixed_size_member_arrives() => Assert.Equal(SomeScalars, RoundTrip(SomeScalars));

    [Fact]
    public void An_empty_class_arrives_as_it_was()
    {
        var result = RoundTrip(new Everything());
        Assert.Equivalent(new Everything(), result, strict: true);
    }

    [Fact]
    public void Every_other_member_arrives()
    {
        var sent = SampleValues.FullEverything();
        Assert.Equivalent(sent, RoundTrip(sent), strict: true);
    }

    public static T RoundTrip<T>(T value)
    {
        var dispatcher = new MessageDispatcher<T?>();
        dispatcher.Register<T>(static (in T message, ref T? state) => state = message);
        using var packed = s_writer.Pack(value);
        T? result = default;
        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref result));
        return result!;
    }
}
