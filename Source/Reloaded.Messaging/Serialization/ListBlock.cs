using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Copies the items of a list in one step.</summary>
internal static class ListBlock
{
    public static void Write<T>(MessageBuffer buffer, List<T> values)
        where T : unmanaged => buffer.WriteBlock<T>(CollectionsMarshal.AsSpan(values));

    public static bool TryRead<T>(ref PayloadReader reader, List<T> values, int count)
        where T : unmanaged
    {
        var start = values.Count;
        CollectionsMarshal.SetCount(values, start + count);
        return reader.TryReadBlock(CollectionsMarshal.AsSpan(values).Slice(start));
    }
}
