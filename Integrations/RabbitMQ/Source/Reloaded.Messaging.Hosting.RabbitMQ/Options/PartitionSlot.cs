using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The slot of a key. Publishers send the slot, and each group assigns the slots to its partitions, so publishers need not know the number of partitions.</summary>
internal static class PartitionSlot
{
    /// <summary>The number of slots, and the largest number of partitions.</summary>
    public const int Count = 64;

    /// <summary>The header with the slot. The broker ignores headers in bindings whose names begin with "x-".</summary>
    public const string Header = "slot";

    private static readonly string[] s_names = Array.ConvertAll(AllNumbers(), static slot => slot.ToString(System.Globalization.CultureInfo.InvariantCulture));

    /// <summary>Returns the slot of a key (1–64): the 32-bit FNV-1a hash of its UTF-16 code units, low byte first, modulo 64, plus 1.</summary>
    public static int Of(string key)
    {
        var hash = 2166136261u;
        foreach (var unit in key)
        {
            hash = (hash ^ (byte)unit) * 16777619u;
            hash = (hash ^ (byte)(unit >> 8)) * 16777619u;
        }

        return (int)(hash % Count) + 1;
    }

    /// <summary>Returns the value of the header for a slot.</summary>
    public static string NameOf(int slot) => s_names[slot - 1];

    /// <summary>Returns the arguments of the bindings of a partition.</summary>
    /// <param name="partition">The number of the partition (at least 0).</param>
    /// <param name="partitions">The number of partitions.</param>
    public static IEnumerable<Dictionary<string, object?>> BindingsOf(int partition, int partitions)
    {
        for (var slot = partition + 1; slot <= Count; slot += partitions)
            yield return new Dictionary<string, object?> { ["x-match"] = "all", [Header] = NameOf(slot) };
    }

    private static int[] AllNumbers()
    {
        var all = new int[Count];
        for (var index = 0; index < Count; index++)
            all[index] = index + 1;
        return all;
    }
}
