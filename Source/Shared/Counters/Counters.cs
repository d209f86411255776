using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A count for each member of an enum. Thread-safe. Adding to a count neither allocates nor boxes.</summary>
/// <remarks>The file is compiled into each package that counts, so that no package sees another's internals.</remarks>
/// <typeparam name="TCounter">An enum of 32 bits, whose members are 0, 1, 2 and so on.</typeparam>
internal sealed class Counters<TCounter>
    where TCounter : struct, Enum
{
    private readonly long[] _counts = new long[All.Length];

    /// <summary>The members of the enum, in order.</summary>
    public static readonly TCounter[] All = GetMembers();

    /// <summary>A count. Set it only in a copy that no other thread uses.</summary>
    public long this[TCounter counter]
    {
        get => Volatile.Read(ref _counts[IndexOf(counter)]);
        set => _counts[IndexOf(counter)] = value;
    }

    /// <summary>Returns the sum of all counts.</summary>
    public long Sum()
    {
        long sum = 0;
        foreach (var counter in All)
            sum += this[counter];
        return sum;
    }

    /// <summary>Returns a copy with the current counts.</summary>
    public Counters<TCounter> Copy()
    {
        var copy = new Counters<TCounter>();
        foreach (var counter in All)
            copy[counter] = this[counter];
        return copy;
    }

    public void Add(TCounter counter) => Interlocked.Increment(ref _counts[IndexOf(counter)]);

    public void Add(TCounter counter, long count) => Interlocked.Add(ref _counts[IndexOf(counter)], count);

    /// <summary>Returns the names and values of all counts, as a record of the given name would print them.</summary>
    public string Describe(string name) => $"{name} {{ {string.Join(", ", Array.ConvertAll(All, counter => $"{counter} = {this[counter]}"))} }}";

    private static int IndexOf(TCounter counter) => Unsafe.As<TCounter, int>(ref counter);

    private static TCounter[] GetMembers()
    {
        var members = Enum.GetValues<TCounter>();
        Debug.Assert(Enum.GetUnderlyingType(typeof(TCounter)) == typeof(int) && IndexOf(members[^1]) == members.Length - 1);
        return members;
    }
}
