using System;
using System.Collections.Generic;
using System.Diagnostics;
using Examples;
using Reloaded.Messaging.Dispatching;
using Reloaded.Messaging.Wire;

namespace ModLoader.Packing;

/// <summary>What sending every configuration one way came to.</summary>
public sealed class WayRow
{
    private readonly Way _way;
    private readonly int[] _sizes;
    private int _handled;
    private long _before;
    private long _after;
    private double _seconds;
    private double _allocated;

    private WayRow(Way way, int mods)
    {
        _way = way;
        _sizes = new int[mods];
    }

    public string Name => _way.Name;

    public long Messages { get; private set; }

    /// <summary>The size of a mod's message, header included, in bytes.</summary>
    public int SizeOf(int mod) => _sizes[mod];

    public void CountHandled(ModConfig config) => _handled += config.ModId.Length > 0 ? 1 : 0;

    /// <summary>Packs and dispatches all configurations, once to count and then over and over for the given time.</summary>
    public static WayRow Measure(Way way, List<ModFile> mods, double seconds)
    {
        var row = new WayRow(way, mods.Count);
        var dispatcher = new MessageDispatcher<WayRow>();
        way.Register(dispatcher);

        for (var i = 0; i < mods.Count; i++)
        {
            using var packed = way.Pack(mods[i]);
            MessageHeader.TryRead(packed.Span, out var header, out var headerSize);
            row._before += header.IsCompressed ? header.DecompressedSize : packed.Length - headerSize;
            row._after += packed.Length - headerSize;
            row._sizes[i] = packed.Length;
        }

        row.Send(mods, dispatcher, seconds); // to warm up: the runtime compiles what runs often a second time
        row._handled = 0;
        row.Send(mods, dispatcher, seconds);
        if (row._handled != row.Messages)
            throw new InvalidOperationException($"{row.Messages} messages were packed and {row._handled} reached the handler.");
        return row;
    }

    private void Send(List<ModFile> mods, MessageDispatcher<WayRow> dispatcher, double seconds)
    {
        var row = this;
        var watch = Stopwatch.StartNew();
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        Messages = 0;
        do
        {
            foreach (var mod in mods)
            {
                using var packed = _way.Pack(mod);
                var status = dispatcher.Dispatch(packed.Span, ref row);
                if (status != DispatchStatus.Handled)
                    throw new InvalidOperationException($"{mod.Name} was not handled but {status}.");
                Messages++;
            }

            _seconds = watch.Elapsed.TotalSeconds;
        }
        while (_seconds < seconds);

        _allocated = (GC.GetAllocatedBytesForCurrentThread() - allocated) / (double)Messages;
    }

    public static void Print(List<WayRow> rows)
    {
        var table = new Table("sent as", "payload bytes", "as sent", "saved", "messages/s", "Handled", "bytes allocated");
        foreach (var row in rows)
        {
            table.Add(
                row.Name,
                $"{row._before:N0}",
                $"{row._after:N0}",
                $"{1 - ((double)row._after / row._before):P0}",
                $"{row.Messages / row._seconds:N0}",
                $"{row._handled:N0}",
                $"{row._allocated:N0}");
        }

        table.Print("Packed, dispatched and deserialized: all configurations, each as a message (allocated is what a message's ModConfig takes)");
    }
}
