using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
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

/// <summary>A client that streams arrays of bytes, in either direction.</summary>
public interface IItemClient
{
    /// <summary>Sends items with a request.</summary>
    /// <param name="items">The items.</param>
    /// <param name="isSlow">Whether the server reads one item and then waits for <see cref="Items.SlowTime"/>.</param>
    /// <returns>The number of items that the server has read.</returns>
    Task<long> SendAsync(IAsyncEnumerable<byte[]> items, bool isSlow);

    /// <summary>Requests items.</summary>
    IAsyncEnumerable<byte[]> ReceiveAsync(int size, int milliseconds);
}

/// <summary>A client that also streams in both directions at once.</summary>
public interface IItemExchange : IItemClient
{
    /// <summary>Sends items, each of which the server returns.</summary>
    IAsyncEnumerable<byte[]> ExchangeAsync(IAsyncEnumerable<byte[]> items);
}

/// <summary>The sources and readers of items, which all libraries have in common.</summary>
public static class Items
{
    /// <summary>The time for which a slow server reads nothing.</summary>
    public static readonly TimeSpan SlowTime = TimeSpan.FromSeconds(1);

    /// <summary>Returns items for a time.</summary>
    /// <param name="size">The size of an item in bytes.</param>
    /// <param name="milliseconds">The time.</param>
    /// <param name="returned">Called with each item; <c>null</c> for none.</param>
    public static async IAsyncEnumerable<byte[]> Source(int size, int milliseconds, Action? returned = null)
    {
        await Task.Yield();
        var item = new byte[size];
        for (var begun = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begun).TotalMilliseconds < milliseconds;)
        {
            returned?.Invoke();
            yield return item;
        }
    }

    /// <summary>Counts items.</summary>
    public static async Task<long> CountAsync(IAsyncEnumerable<byte[]> items, bool isSlow)
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
        var count = direction switch
        {
            ItemDirection.In => await client.SendAsync(Source(size, milliseconds), isSlow: false),
            ItemDirection.Out => await CountAsync(client.ReceiveAsync(size, milliseconds), isSlow: false),
            _ => await CountAsync(((IItemExchange)client).ExchangeAsync(Source(size, milliseconds)), isSlow: false),
        };
        return (count / Stopwatch.GetElapsedTime(begun).TotalSeconds, count);
    }

    /// <summary>Returns the number of bytes that a source has returned while the server had read one item.</summary>
    public static async Task<long> GetAheadAsync(IItemClient client, int size)
    {
        long returned = 0;
        await client.SendAsync(Source(size, (int)SlowTime.TotalMilliseconds, () => returned++), isSlow: true);
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
