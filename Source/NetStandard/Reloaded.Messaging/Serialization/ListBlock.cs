namespace Reloaded.Messaging;

/// <summary>Copies the items of a list one by one: netstandard2.1 gives no access to the list's array.</summary>
internal static class ListBlock
{
    public static void Write<T>(MessageBuffer buffer, List<T> values)
        where T : unmanaged
    {
        foreach (var value in values)
            buffer.WriteFixed(value);
    }

    public static bool TryRead<T>(ref PayloadReader reader, List<T> values, int count)
        where T : unmanaged
    {
        for (var i = 0; i < count; i++)
        {
            if (!reader.TryReadFixed(out T value))
                return false;
            values.Add(value);
        }

        return true;
    }
}
