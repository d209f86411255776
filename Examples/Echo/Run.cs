using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Echo;

/// <summary>One measurement: a number of requests in flight on a number of connections for a given time, and the results.</summary>
public sealed class Run(string name, MessageEndpoint endpoint, int connections, int inFlight)
{
    private readonly List<double> _microseconds = [];
    private readonly Lock _gate = new();
    private long _answered;

    public string Name => name;

    public long Answered => Volatile.Read(ref _answered);

    public double PerSecond { get; private set; }

    public double BytesEach { get; private set; }

    public Status? Server { get; private set; }

    public string Percentile(double part)
    {
        _microseconds.Sort();
        return $"{_microseconds[(int)((_microseconds.Count - 1) * part)]:N0}";
    }

    public async Task MeasureAsync(TimeSpan time, Action<double> progress)
    {
        var clients = await Task.WhenAll(Enumerable.Range(0, connections).Select(_ => MessageHost.ConnectAsync(endpoint)));
        var before = await clients[0].RequestAsync<StatusQuery, Status>(default);
        var allocated = GC.GetTotalAllocatedBytes();
        var watch = Stopwatch.StartNew();
        var loops = clients.SelectMany(client => Enumerable.Range(0, inFlight).Select(_ => Task.Run(() => AskAsync(client, watch, time)))).ToArray();
        while (watch.Elapsed < time)
        {
            progress(watch.Elapsed / time);
            await Task.Delay(50);
        }

        await Task.WhenAll(loops);
        PerSecond = Answered / watch.Elapsed.TotalSeconds;
        allocated = GC.GetTotalAllocatedBytes() - allocated;
        Server = await clients[0].RequestAsync<StatusQuery, Status>(default);
        BytesEach = (allocated + Server.AllocatedBytes - before.AllocatedBytes) / (double)Answered;
        foreach (var client in clients)
            await client.DisposeAsync();
        progress(1);
    }

    private async Task AskAsync(MessageClient client, Stopwatch watch, TimeSpan time)
    {
        var own = new List<double>(4096);
        long count = 0;
        while (watch.Elapsed < time)
        {
            var sent = Stopwatch.GetTimestamp();
            var echoed = await client.RequestAsync<Echoed, Echoed>(new Echoed(count, sent));
            if (echoed.Number != count)
                throw new InvalidOperationException($"The reply has the number {echoed.Number}; the request had the number {count}.");
            if (count++ % 16 == 0 && own.Count < own.Capacity) // a sample is enough
                own.Add(Stopwatch.GetElapsedTime(sent).TotalMicroseconds);
        }

        Interlocked.Add(ref _answered, count);
        lock (_gate)
            _microseconds.AddRange(own);
    }
}
