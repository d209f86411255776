using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Examples.Broker;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Benchmarks.Rabbit.Processes;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary><c>rabbit-chaos [JOBS] [FAULTS] [SEED]</c>: publishers, consumers and relays in separate processes over a cluster of three, with random faults. Prints the numbers of lost messages, of repeats without a mark, and of messages out of order.</summary>
public sealed class RabbitChaos : IAsyncDisposable
{
    public const string Verb = "rabbit-chaos";

    private const int Publishers = 2;
    private static readonly TimeSpan s_betweenFaults = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    private readonly int _jobs;
    private readonly int _faults;
    private readonly Random _random;
    private readonly LocalBroker[] _nodes;
    private readonly string _ports;
    private readonly List<Task> _readers = [];
    private readonly ConcurrentQueue<HandledJob> _handled = new();
    private readonly ConcurrentDictionary<long, bool> _seen = new();
    private readonly ConcurrentDictionary<long, bool> _results = new();
    private readonly long[] _confirmed = new long[Publishers];
    private readonly Dictionary<string, OtherProcess> _processes = [];
    private bool _isOver;

    private RabbitChaos(int jobs, int faults, int seed, LocalBroker[] nodes)
    {
        (_jobs, _faults, _random, _nodes) = (jobs, faults, new Random(seed), nodes);
        _ports = string.Join(',', nodes.Select(static node => node.Port));
    }

    /// <returns>0 if nothing was lost, repeated without a mark, or out of order; 1 if something was; 2 if there is no broker.</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        if (LocalBroker.Missing is not null)
        {
            Console.Error.WriteLine(LocalBroker.Missing);
            return 2;
        }

        var numbers = args.Select(static text => int.Parse(text, CultureInfo.InvariantCulture)).ToArray();
        var seed = numbers.ElementAtOrDefault(2) is > 0 and var given ? given : Environment.TickCount;
        var first = await LocalBroker.StartAsync();
        LocalBroker[] nodes = [first, .. await Task.WhenAll(LocalBroker.StartAsync(first), LocalBroker.StartAsync(first))];
        await using var chaos = new RabbitChaos(numbers.ElementAtOrDefault(0) is > 0 and var jobs ? jobs : 80_000, numbers.ElementAtOrDefault(1) is > 0 and var faults ? faults : 60, seed, nodes);
        Console.WriteLine($"RabbitMQ {await first.EvaluateAsync("rabbit_misc:version()")}, seed {seed}");
        return await chaos.RunAsync() ? 0 : 1;
    }

    public async ValueTask DisposeAsync()
    {
        _isOver = true;
        foreach (var process in _processes.Values)
            process.Dispose();
        await Task.WhenAll(_readers);
        foreach (var node in _nodes.Reverse())
            await node.DisposeAsync();
    }

    private async Task<bool> RunAsync()
    {
        string[] receivers = [RabbitChaosPeer.Sink, $"{RabbitChaosPeer.Consumer}1", $"{RabbitChaosPeer.Consumer}2", $"{RabbitChaosPeer.Relay}1", $"{RabbitChaosPeer.Relay}2"];
        foreach (var receiver in receivers)
            await StartAsync(receiver);
        for (var publisher = 0; publisher < Publishers; publisher++)
            await StartAsync($"{RabbitChaosPeer.Publisher}{publisher}");

        Func<Task>[] kinds =
        [
            KillNodeAsync, () => KillAsync(RabbitChaosPeer.Publisher), () => KillAsync(RabbitChaosPeer.Consumer), () => KillAsync(RabbitChaosPeer.Relay), CloseConnectionsAsync,
            FreezeNodeAsync, FreezeProcessAsync, AlarmAsync,
        ];
        var faults = Enumerable.Range(0, _faults).Select(index => kinds[index % kinds.Length]).ToArray();
        _random.Shuffle(faults);
        foreach (var fault in faults)
        {
            await Task.Delay(s_betweenFaults);
            await fault();
        }

        var end = Stopwatch.StartNew();
        while ((_seen.Count < _jobs || _results.Count < _jobs) && end.Elapsed < s_patience)
            await Task.Delay(500);
        return Report();
    }

    /// <summary>Starts a process, and reads its output until it ends.</summary>
    private async Task StartAsync(string name)
    {
        var publisher = name.StartsWith(RabbitChaosPeer.Publisher, StringComparison.Ordinal) ? name[^1] - '0' : -1;
        var (from, step) = publisher < 0 ? (0, 0) : (_confirmed[publisher], Publishers);
        var pause = _faults * 4_000L * RabbitChaosPeer.FlushedJobs * Publishers / _jobs;
        var process = OtherProcess.Start(RabbitChaosPeer.Verb, name, _ports, $"{from}", $"{step}", $"{_jobs}", $"{pause}");
        _processes[name] = process;
        while (await process.ReadAsync() is var line && line != RabbitChaosPeer.Ready)
            Record(line, publisher); // it handles messages before its subscription is complete
        _readers.Add(Task.Run(() => ReadAsync(process, publisher)));
    }

    private async Task ReadAsync(OtherProcess process, int publisher)
    {
        while (await process.TryReadAsync() is { } line)
            Record(line, publisher);
    }

    /// <summary>Records what a process has done.</summary>
    private void Record(string line, int publisher)
    {
        var words = line.Split(' ');
        if (publisher >= 0 && words.Length == 1)
            _confirmed[publisher] = long.Parse(line, CultureInfo.InvariantCulture);
        else if (words is ["result", var number, "."])
            _results[long.Parse(number, CultureInfo.InvariantCulture)] = true;
        else if (HandledJob.TryParse(words) is { } handled)
            Add(handled);
    }

    private void Add(HandledJob handled)
    {
        _handled.Enqueue(handled);
        _seen[handled.Job] = true;
    }

    private bool Report()
    {
        var (times, last, unmarked, unordered, repeats) = (new Dictionary<(string, ulong), int>(), new Dictionary<(string, long), ulong>(), 0, 0, 0);
        foreach (var handled in _handled.OrderBy(static handled => handled.At))
        {
            var identity = (handled.Sender, handled.Number);
            var earlier = times.GetValueOrDefault(identity);
            times[identity] = earlier + 1;
            repeats += handled.IsRepeated ? 1 : 0;
            unmarked += earlier > 0 && !handled.IsRepeated ? 1 : 0;
            if (earlier > 0 || handled.IsRepeated)
                continue;
            var key = (handled.Sender, RabbitChaosPeer.KeyOf(handled.Job));
            unordered += handled.Number < last.GetValueOrDefault(key) ? 1 : 0;
            last[key] = handled.Number;
        }

        var lost = (2 * _jobs) - _seen.Count - _results.Count;
        Console.WriteLine($"{_jobs} jobs, {_seen.Count} handled by consumers, {_results.Count} results of relays handled: {lost} lost, {unmarked} repeated without a mark, {unordered} out of order, {repeats} marked");
        return (lost, unmarked, unordered) == (0, 0, 0);
    }

    private async Task KillNodeAsync()
    {
        var node = Any();
        Note($"kills {node.NodeName}");
        await node.KillAsync();
        await Task.Delay(_random.Next(3000));
        await node.StartAgainAsync();
    }

    private async Task KillAsync(string role)
    {
        var names = _processes.Keys.Where(name => name.StartsWith(role, StringComparison.Ordinal)).ToArray();
        var name = names[_random.Next(names.Length)];
        Note($"kills {name}");
        _processes[name].Kill();
        await StartAsync(name);
    }

    private async Task CloseConnectionsAsync()
    {
        Note("closes all connections");
        await Any().EvaluateAsync("[catch rabbit_networking:close_connection(Connection, \"chaos\") || Connection <- rabbit_networking:connections()]");
    }

    private async Task FreezeNodeAsync()
    {
        var node = Any();
        Note($"freezes {node.NodeName}");
        await FreezeAsync(int.Parse((await node.EvaluateAsync("os:getpid()")).Trim('"', '\\'), CultureInfo.InvariantCulture));
    }

    private async Task FreezeProcessAsync()
    {
        var (name, process) = _processes.ElementAt(_random.Next(_processes.Count));
        Note($"freezes {name}");
        await FreezeAsync(process.Id);
    }

    private async Task AlarmAsync()
    {
        var node = Any();
        Note($"memory alarm of {node.NodeName}");
        await node.EvaluateAsync("vm_memory_monitor:set_vm_memory_high_watermark(0.00001)");
        await Task.Delay(1000 + _random.Next(3000));
        await node.EvaluateAsync("vm_memory_monitor:set_vm_memory_high_watermark(0.4)");
    }

    private async Task FreezeAsync(int process)
    {
        await SignalAsync("-STOP", process);
        await Task.Delay(2000 + _random.Next(4000));
        await SignalAsync("-CONT", process);
    }

    private static async Task SignalAsync(string signal, int process)
    {
        using var kill = Process.Start("kill", [signal, $"{process}"]);
        await kill.WaitForExitAsync();
    }

    private LocalBroker Any() => _nodes[_random.Next(_nodes.Length)];

    private void Note(string fault)
    {
        if (!_isOver)
            Console.WriteLine($"{_seen.Count,7} handled, {_results.Count,7} results: {fault}");
    }
}
