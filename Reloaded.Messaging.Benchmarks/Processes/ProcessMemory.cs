using System.Globalization;

namespace Reloaded.Messaging.Benchmarks.Processes;

/// <summary>The memory of a process.</summary>
/// <param name="Heap">The managed heap after a collection, in bytes.</param>
/// <param name="Resident">The physical memory, in bytes.</param>
public readonly record struct ProcessMemory(long Heap, long Resident)
{
    /// <summary>The values as one line.</summary>
    public string Text => string.Create(CultureInfo.InvariantCulture, $"{Heap} {Resident}");

    /// <summary>Collects garbage, and returns the memory of this process.</summary>
    public static ProcessMemory Read() => new(GC.GetTotalMemory(forceFullCollection: true), Environment.WorkingSet);

    /// <summary>Reads the line of another process.</summary>
    public static ProcessMemory Parse(string text)
    {
        var words = text.Split(' ');
        return new ProcessMemory(long.Parse(words[0], CultureInfo.InvariantCulture), long.Parse(words[1], CultureInfo.InvariantCulture));
    }
}
