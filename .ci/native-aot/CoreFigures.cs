using System;
using Reloaded.Messaging;
using Reloaded.Messaging.Benchmarks;
using Reloaded.Messaging.Benchmarks.Figures;

namespace NativeAot;

/// <summary>Figures of the group <c>core</c> of the benchmarks, with the same floors: name, floor in ns, library in ns, ratio and allocated bytes.</summary>
internal static class CoreFigures
{
    private const int Block = 1000;
    private const int Many = 20 * Block; // too many for the branch predictor to learn the order of the messages

    public static void Print()
    {
        Dispatch<OneSum>("dispatch.one", 1);
        Dispatch<EightSum>("dispatch.eight", 8);
        var values = new Int3[Block];
        for (var i = 0; i < Block; i++)
            values[i] = new Int3(i, i * 2, i * 3);
        var writer = new MessageWriter();
        using var batch = new MessageBatch();
        var frames = new FrameCursor(Block * FrameCursor.FrameSize);
        Print("append", Block, () => Floors.Append(frames, values), () => Paths.Append(writer, batch, values));
        Print("pack", Block, () => Floors.Pack(values), () => Paths.Pack(writer, Contracts.Int3, 1, values));
    }

    private static void Dispatch<TSum>(string name, int kinds)
        where TSum : struct, ISum
    {
        var messages = Contracts.PlainMessages(Many, kinds);
        var handlers = EightKinds.Floor<TSum>();
        var dispatcher = EightKinds.Dispatcher<TSum>();
        Print(name, Many, () => Floors.Dispatch(messages, handlers), () => Paths.Dispatch(messages, dispatcher));
    }

    private static void Print(string name, int messages, Func<long> floor, Func<long> path)
    {
        var race = Race.Run(name, messages, floor, path);
        race.Floor.Sort();
        race.Measured.Sort();
        race.Ratios.Sort();
        var middle = Race.Rounds / 2;
        Console.WriteLine(FormattableString.Invariant($"{name,-16} {race.Floor[middle],8:F2} ns {race.Measured[middle],8:F2} ns {race.Ratios[middle],8:F3} {Race.Allocated(messages, 20, path),6:F2} B"));
    }
}
