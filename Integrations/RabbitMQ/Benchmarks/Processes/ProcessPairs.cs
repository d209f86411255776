using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>Pairs of processes. In each pair, one process publishes at least once to a topic of the pair, and the other process receives.</summary>
public sealed class ProcessPairs(int port) : IDisposable
{
    private readonly List<Pair> _pairs = [];

    /// <summary>Starts processes until there is a given number of pairs.</summary>
    public async Task GrowAsync(int count)
    {
        while (_pairs.Count < count)
        {
            var topic = $"pair{_pairs.Count}";
            var consumer = await RabbitPeer.StartAsync(RabbitRole.Consumer, port, topic);
            _pairs.Add(new Pair(await RabbitPeer.StartAsync(RabbitRole.Publisher, port, topic), consumer));
        }
    }

    /// <summary>All pairs publish for a given time, until all messages are confirmed and handled.</summary>
    /// <param name="side">The library or the floor: see <see cref="RabbitRole"/>.</param>
    /// <param name="time">The time.</param>
    /// <returns>The number of messages per second of all pairs.</returns>
    public async Task<double> RunAsync(string side, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(_pairs.Select(pair => pair.RunAsync(side, time)));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Returns the memory of the processes of each pair.</summary>
    public async Task<List<(ProcessMemory Publisher, ProcessMemory Consumer)>> GetMemoryAsync()
    {
        var memory = new List<(ProcessMemory, ProcessMemory)>();
        foreach (var pair in _pairs)
            memory.Add((await pair.Publisher.GetMemoryAsync(), await pair.Consumer.GetMemoryAsync()));
        return memory;
    }

    public void Dispose() => _pairs.ForEach(static pair =>
    {
        pair.Publisher.Dispose();
        pair.Consumer.Dispose();
    });

    private sealed record Pair(RabbitPeer Publisher, RabbitPeer Consumer)
    {
        private readonly Dictionary<string, long> _totals = [];

        public async Task<long> RunAsync(string side, TimeSpan time)
        {
            var count = await Publisher.RunAsync(side, (long)time.TotalMilliseconds);
            _totals[side] = _totals.GetValueOrDefault(side) + count;
            await Consumer.RunAsync(side, _totals[side]);
            return count;
        }
    }
}
