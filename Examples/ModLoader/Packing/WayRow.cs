using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using Examples;
using Reloaded.Messaging;
using Reloaded.Messaging.Wire;

namespace ModLoader.Packing;

/// <summary>The results of sending every configuration in one way.</summary>
public sealed class WayRow
{
    private readonly Way _way;
    private readonly int[] _sizes;
    private readonly MessageDispatcher<WayRow> _dispatcher = new();
    private readonly List<double> _rates = [];
    private readonly List<double> _allocated = [];
    private int _handled;
    private long _before;
    private long _after;

    private WayRow(Way way, List<ModFile> mods)
    {
        _way = way;
        _sizes = new int[mods.Count];
        way.Register(_dispatcher);
        for (var i = 0; i < mods.Count; i++)
        {
            using var packed = way.Pack(mods[i]);
            MessageHeader.TryRead(packed.Span, out var header, out var headerSize);
            _before += header.IsCompressed ? header.DecompressedSize : packed.Length - headerSize;
            _after += packed.Length - headerSize;
            _sizes[i] = packed.Length;
        }
    }

    public string Name => _way.Name;

    public long Messages { get; private set; }

    /// <summary>The size of a mod's message with its header, in bytes.</summary>
    public int SizeOf(int mod) => _sizes[mod];

    public void CountHandled(ModConfig config) => _handled += config.ModId.Length > 0 ? 1 : 0;

    /// <summary>Packs and dispatches all configurations in each way, in several rounds. The ways alternate, so that other load on the machine affects all of them.</summary>
    public static List<WayRow> Measure(IEnumerable<Way> ways, List<ModFile> mods, int rounds, TimeSpan time)
    {
        var rows = ways.Select(way => new WayRow(way, mods)).ToList();
        foreach (var row in rows)
        {
            row.Send(mods, time * rounds); // warm-up: the runtime compiles frequently used methods a second time
            row.Forget();
        }

        for (var round = 0; round < rounds; round++)
        {
            foreach (var row in rows)
                row.Send(mods, time);
        }

        if (rows.Find(static row => row._handled != row.Messages) is { } lost)
            throw new InvalidOperationException($"{lost.Messages} messages were packed, but {lost._handled} reached the handler.");
        return rows;
    }

    private void Forget()
    {
        _rates.Clear();
        _allocated.Clear();
        _handled = 0;
        Messages = 0;
    }

    private void Send(List<ModFile> mods, TimeSpan time)
    {
        var row = this;
        var watch = Stopwatch.StartNew();
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        var sent = 0;
        do
        {
            foreach (var mod in mods)
            {
                using var packed = _way.Pack(mod);
                var status = _dispatcher.Dispatch(packed.Span, ref row);
                if (status != DispatchStatus.Handled)
                    throw new InvalidOperationException($"{mod.Name} was not handled. The status is {status}.");
                sent++;
            }
        }
        while (watch.Elapsed < time);

        _rates.Add(sent / watch.Elapsed.TotalSeconds);
        _allocated.Add((GC.GetAllocatedBytesForCurrentThread() - allocated) / (double)sent);
        Messages += sent;
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

    public static void Print(List<WayRow> rows)
    {
        var table = new Table("sent as", "payload bytes", "as sent", "saved", "messages/s", "bytes allocated");
        foreach (var row in rows)
        {
            table.Add(
                row.Name,
                $"{row._before:N0}",
                $"{row._after:N0}",
                $"{1 - ((double)row._after / row._before):P0}",
                $"{Median(row._rates):N0}",
                $"{Median(row._allocated):N0}");
        }

        table.Print("All configurations packed, dispatched and deserialized, each as one message (medians of all rounds; the allocated bytes are those of the ModConfig of a message)");
    }
}
