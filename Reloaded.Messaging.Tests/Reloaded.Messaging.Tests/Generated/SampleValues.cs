using System.Numerics;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Values of the sample messages in which every member has something.</summary>
public static class SampleValues
{
    public static Everything FullEverything() => new()
    {
        Text = new string('ä', 200),
        MaybeText = "short",
        MaybeNumber = 7,
        MaybeTime = new DateTime(2020, 1, 2, 3, 4, 5, DateTimeKind.Unspecified),
        Bytes = [1, 2, 3],
        Numbers = [1, 2.5f],
        Flags = [true, false],
        Places = [new Vector3(1, 2, 3), new Vector3(4, 5, 6)],
        Ids = [Guid.Parse("00112233-4455-6677-8899-aabbccddeeff")],
        Names = ["a", "b"],
        Jagged = [[1], [], [2, 3]],
        Longs = [1, 2, 3],
        MaybeNames = ["x", null],
        MaybeNumbers = [1, null],
        Counts = new() { ["a"] = 1, ["b"] = 2 },
        Shifts = new() { [Level.Low] = [new Shift(1, 2, 3)] },
        Scalars = RoundTripTests.SomeScalars,
        Shift = new Shift(7, 8, 9),
        MaybeShift = new Shift(1, 1, 1),
        Figure = new Circle(2),
        Figures = [new Square(1, "blue"), new Circle(3)],
        Inner = new Everything { Text = "inner" },
    };

    public static PooledNest FullNest() => new()
    {
        Name = "nest",
        One = new Notification { Id = 1, Value = 1.5 },
        Array = [new Notification { Id = 2 }, new Notification { Id = 3 }],
        Lists = [[new Notification { Id = 4 }], []],
        Map = new() { [1] = ["a", "b"], [-2] = [] },
        Inner = new PooledNest { Name = "inner", Lists = [[]], Last = 8 },
        Last = 9,
    };
}
