using Reloaded.Messaging.Tests.Exported;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests;

/// <summary>Values of <see cref="Everything"/>, for the tests of code that <c>export</c> writes.</summary>
internal static class ExportedValues
{
    /// <summary>Packs a value with its defaults, and one with other values, as hexadecimal digits.</summary>
    public static (string Missing, string Full) PackTwo()
    {
        var guid = new byte[16];
        guid[0] = 0x33;
        var part = new Part { None = false, Parts = [new Part()] };
#pragma warning disable CS0618 // the type is obsolete for a test of the export
        var missing = new Everything { Version = new Version(0, 0), Rate = 0.25f };
        var all = new Everything
        {
            Id = new Guid(guid),
            Side = Side.Friend,
            Count = long.MinValue,
            OtherSide = null,
            Place = new Place(new Point(1.5f, 0), Side.Enemy),
            Tuple = (-2, "name", new Place(new Point(0, -1), default)),
            Pair = ((7, true), (Side)3),
            ByName = new() { ["key"] = [part, null] },
            ByNumber = new() { [0] = default, [9] = new Place(new Point(2, 0), default) },
            Tags = ["a", "b"],
            Data = [0xAA, 0xBB],
            More = new byte[] { 1 },
            Link = new Uri("https://example.org/"),
            Version = new Version(1, 2, 3),
            At = new DateTime(630822816000000000, DateTimeKind.Utc),
            Moment = new DateTimeOffset(630822816000000000, TimeSpan.FromMinutes(-330)),
            Length = TimeSpan.FromSeconds(1),
            Day = DateOnly.MaxValue,
            Half = (Half)1.5,
            Rate = -0.5f,
            Huge = new UInt128(2, 1),
            Outcome = new Failed("x"),
            Part = part,
            lambda = 5,
            list = [-1, int.MaxValue],
            field = "",
        };
        return (Pack(missing), Pack(all));
#pragma warning restore CS0618
    }

    private static string Pack<T>(T value)
    {
        using var packed = new MessageWriter().Pack(MessageContract.GetDeclared<T>(), in value);
        return Convert.ToHexString(packed.Span[new MessageHeader(MessageContract.GetDeclared<T>().Type).Size..]);
    }
}
