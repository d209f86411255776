using System.Diagnostics;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>The directions of streams of items.</summary>
public enum ItemDirection
{
    /// <summary>The client sends items with a request.</summary>
    In,

    /// <summary>The server replies with items.</summary>
    Out,

    /// <summary>The server returns each item of the client.</summary>
    Both,
}

/// <summary>A client that streams items for a time, in either direction. An item has an array of bytes, in the type that the library sends.</summary>
public interface IItemClient
{
    /// <summary>Sends items with a request.</summary>
    /// <param name="size">The size of the array in bytes.</param>
    /// <param name="milliseconds">The time.</param>
    /// <param name="isSlow">Whether the server reads one item and then waits for <see cref="Items.SlowTime"/>.</param>
    /// <param name="returned">Called with each item that the source returns; <c>null</c> for none.</param>
    /// <returns>The number of items that the server has read.</returns>
    Task<long> SendAsync(int size, int milliseconds, bool isSlow = false, Action? returned = null);

    /// <summary>Requests items.</summary>
    /// <returns>The number of items that the client has read.</returns>
    Task<long> ReceiveAsync(int size, int milliseconds);
}

/// <summary>A client that also streams in both directions at once.</summary>
public interface IItemExchange : IItemClient
{
    /// <summary>Sends items, each of which the server returns.</summary>
    /// <returns>The number of items that were returned.</returns>
    Task<long> ExchangeAsync(int size, int milliseconds);
}

/// <summary>The sources and readers of items, which all libraries have in common.</summary>
public static class Items
{
    /// <summary>The time for which a slow server reads nothing.</summary>
    public static readonly TimeSpan SlowTime = TimeSpan.FromSeconds(1);

    private const int Group = 64; // the clock would cost as much as an item

    /// <summary>Returns an item again and again for a time.</summary>
    /// <param name="item">The item.</param>
    /// <param name="milliseconds">The time.</param>
    /// <param name="returned">Called with each item; <c>null</c> for none.</param>
    public static async IAsyncEnumerable<T> Source<T>(T item, int milliseconds, Action? returned = null)
    {
        await Task.Yield();
        for (var begun = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begun).TotalMilliseconds < milliseconds;)
        {
            for (var i = 0; i < Group; i++)
            {
                returned?.Invoke();
                yield return item;
            }
        }
    }

    /// <summary>Counts items.</summary>
    public static async Task<long> CountAsync<T>(IAsyncEnumerable<T> items, bool isSlow = false)
    {
        long count = 0;
        await foreach (var _ in items)
        {
            count++;
            if (!isSlow)
                continue;
            await Task.Delay(SlowTime);
            break;
        }

        return count;
    }

    /// <summary>Streams items in a direction for a time.</summary>
    /// <returns>The number of items per second, and their number.</returns>
    public static async Task<(double Rate, long Count)> RunAsync(IItemClient client, ItemDirection direction, int size, TimeSpan time)
    {
        var milliseconds = (int)time.TotalMilliseconds;
        var begun = Stopwatch.GetTimestamp();
        var count = await (direction switch
        {
            ItemDirection.In => client.SendAsync(size, milliseconds),
            ItemDirection.Out => client.ReceiveAsync(size, milliseconds),
            _ => ((IItemExchange)client).ExchangeAsync(size, milliseconds),
        });
        return (count / Stopwatch.GetElapsedTime(begun).TotalSeconds, count);
    }

    /// <summary>Returns the number of bytes that a source has returned while the server had read one item.</summary>
    public static async Task<long> GetAheadAsync(IItemClient client, int size)
    {
        long returned = 0;
        await client.SendAsync(size, (int)SlowTime.TotalMilliseconds, isSlow: true, () => returned++);
        return (returned - 1) * size;
    }
}

/// <summary>A request with items, of which the server returns the number.</summary>
[Message(61)]
public readonly record struct SendItems(bool IsSlow);

/// <summary>The number of items.</summary>
[Message(62)]
public readonly record struct ItemCount(long Count);

/// <summary>A request of items.</summary>
[Message(63)]
public readonly record struct ReceiveItems(int Size, int Milliseconds);

/// <summary>A request whose items are returned.</summary>
[Message(64)]
public readonly record struct ExchangeItems(int Number);
