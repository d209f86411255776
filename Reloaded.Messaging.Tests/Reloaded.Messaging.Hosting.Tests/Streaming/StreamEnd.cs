namespace Reloaded.Messaging.Tests.Streaming;

/// <summary>Reads a stream up to its end.</summary>
internal static class StreamEnd
{
    public static async Task<List<T>> ReadAllAsync<T>(this IAsyncEnumerable<T> stream)
    {
        var items = new List<T>();
        await foreach (var item in stream)
            items.Add(item);
        return items;
    }
}
