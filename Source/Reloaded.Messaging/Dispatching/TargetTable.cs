using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>The handlers of a dispatcher, by type. Any thread may read; one thread at a time changes the table.</summary>
/// <remarks>
/// Types below 65,536 are in pages, and the remaining types in a dictionary. There are never more pages than <see cref="MaxPages"/>: the page of a
/// type alone decides where both a change and a search look. A change writes one entry, so registering n handlers takes n steps, and a page costs 536 B.
/// </remarks>
internal sealed class TargetTable<T>
{
    private const int PageBits = 6;
    private const int PageSize = 1 << PageBits;
    private const uint PageMask = PageSize - 1;
    private const uint MaxPages = (ushort.MaxValue + 1) / PageSize;

    private static readonly Target<T>?[] s_emptyPage = new Target<T>?[PageSize]; // never changed

    private Target<T>?[][] _pages = []; // up to the page of the highest type
    private ConcurrentDictionary<uint, Target<T>>? _unpaged;

    /// <summary>Returns the handler of a type, or <c>null</c>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Target<T>? Find(uint type)
    {
        var (pages, page) = (Volatile.Read(ref _pages), type >> PageBits);
        if (page < (uint)pages.Length)
            return Volatile.Read(ref Volatile.Read(ref pages[page])[type & PageMask]);
        return page < MaxPages ? null : FindUnpaged(type);
    }

    /// <summary>Sets or removes the handler of a type.</summary>
    public void Set(uint type, Target<T>? target)
    {
        if (type >> PageBits < MaxPages)
            Volatile.Write(ref GetPage(type >> PageBits)[type & PageMask], target);
        else if (target is not null)
            (_unpaged ?? CreateUnpaged())[type] = target;
        else
            _unpaged?.TryRemove(type, out _);
    }

    private Target<T>? FindUnpaged(uint type) => Volatile.Read(ref _unpaged) is { } targets && targets.TryGetValue(type, out var target) ? target : null;

    private Target<T>?[] GetPage(uint index)
    {
        var pages = _pages;
        if (index >= (uint)pages.Length)
        {
            var grown = new Target<T>?[Math.Min(index + 1 + (index / 2), MaxPages)][];
            pages.CopyTo(grown, 0);
            grown.AsSpan(pages.Length).Fill(s_emptyPage);
            Volatile.Write(ref _pages, pages = grown);
        }

        if (pages[index] == s_emptyPage)
            Volatile.Write(ref pages[index], new Target<T>?[PageSize]);
        return pages[index];
    }

    private ConcurrentDictionary<uint, Target<T>> CreateUnpaged()
    {
        var created = new ConcurrentDictionary<uint, Target<T>>(concurrencyLevel: 1, capacity: 1);
        Volatile.Write(ref _unpaged, created);
        return created;
    }
}
