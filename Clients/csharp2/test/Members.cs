// Writes messages with every kind of member as lines of hexadecimal digits; then reads payloads of the library, and writes them again.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Client;
using Reloaded.Messaging.Client.Messages;

internal static class Program
{
    public static void Main()
    {
#pragma warning disable 612, 618 // the type is obsolete for a test of the export
        var all = new Everything();
        Console.WriteLine("the default is " + (float.IsNaN(all.Rate) ? "no number" : "a number"));
        all.Rate = 0.25f;
        Print(all); // a message that never is null is missing
        all.Part = new Part();
        Print(all);

        var part = new Part { None = false, Parts = { new Part() } };
        all = new Everything
        {
            Id = new Guid(0x33, 0, 0, new byte[8]),
            Side = Side.Friend,
            Count = long.MinValue,
            OtherSide = null,
            Place = new Place { At_X = 1.5f, Side = (int)Side.Enemy },
            Tuple = (-2, "name", new Place { At_Y = -1 }),
            Pair = ((7, true), (Side)3),
            ByName = { ["key"] = new List<Part> { part, null } },
            ByNumber = new Dictionary<int, Place> { [0] = default(Place), [9] = new Place { At_X = 2 } },
            Tags = { "a", "b" },
            Data = new byte[] { 0xAA, 0xBB },
            More = new byte[] { 1 },
            Link = new Uri("https://example.org/"),
            Version = new Version(1, 2, 3),
            At = new DateTime(630822816000000000, DateTimeKind.Utc),
            Moment = new DateTimeOffset(630822816000000000, TimeSpan.FromMinutes(-330)),
            Length = TimeSpan.FromSeconds(1),
            Day = DateTime.MaxValue.Date,
            Half = 1.5f,
            Rate = -0.5f,
            Huge = new Integer128(2, 1),
            Outcome = new Failed { Id = "x" },
            Part = part,
            lambda = 5,
            list = { -1, int.MaxValue },
            field = "",
        };
        Print(all);
        foreach (var spoil in new Action<Everything>[]
        {
            one => one.Day = one.Day.AddTicks(1), one => one.Text = null, one => one.Text = "\uD83D", one => one.Tags = null, one => one.ByName["b"] = null,
            one => one.Outcome = new Other(), one => one.Part.Parts.Add(null), one => one.Part.Parts.Add(one.Part),
        })
        {
            Contracts.Everything.TryPack(all, out var payload);
            var copy = Contracts.Everything.TryUnpack(payload);
            spoil(copy);
            Print(copy);
        }

        for (string line; (line = Console.ReadLine()) != null;)
        {
            var value = Contracts.Everything.TryUnpack(Enumerable.Range(0, line.Length / 2).Select(i => byte.Parse(line.Substring(2 * i, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture)).ToArray());
            if (value == null)
                Console.WriteLine("InvalidPayload");
            else
                Print(value);
        }
    }

    private static void Print(Everything value)
    {
        var status = Contracts.Everything.TryPack(value, out var payload);
        Console.WriteLine(status + (payload == null ? "" : " " + BitConverter.ToString(payload).Replace("-", "")));
    }

    private sealed class Other : Outcome
    {
    }
}
