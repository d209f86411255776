using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>A lobby that publishes jobs, workers that share them and publish results, and a collector of the results, over the hosts for RabbitMQ and a simulated broker.</summary>
internal sealed class BrokerScenario
{
    private const string Jobs = "jobs";
    private const string Results = "results";
    private const string Group = "all";
    private const string Spares = "spares";
    private const string Others = "others";

    private readonly int _partitions = World.Random.Chance(0.5) ? 1 + World.Random.Next(4) : 0;
    private readonly bool _isAsync = World.Random.Chance(0.5);
    private readonly int _keys = 1 + World.Random.Next(4);
    private readonly int _prefetch = World.Random.Chance(0.3) ? 1 : 1 + World.Random.Next(20);
    private readonly bool _isTight = World.Random.Chance(0.4); // little room for results
    private readonly int _resultsInQueue;
    private readonly int _slowness = World.Random.Chance(0.4) ? 200 : 0;
    private readonly RabbitOptions _options;
    private readonly JobLedger _ledger;
    private readonly List<Worker> _workers = [];
    private readonly Dictionary<string, int> _stored = [];
    private int _processes;

    private BrokerScenario()
    {
        _ledger = new JobLedger(_partitions > 0);
        _resultsInQueue = _isTight ? 2 + World.Random.Next(4) : 1000;
        _options = new RabbitOptions
        {
            MaxTries = 100, // a job is not to be given up because of the faults of the world
            StopTimeout = TimeSpan.FromSeconds(World.Random.Chance(0.5) ? 1 : 5),
            RetryDelay = TimeSpan.FromMilliseconds(World.Random.Chance(0.5) ? 0 : 1000),
            Limits = new HostLimits { MaxPendingBytes = World.Random.Chance(_isTight ? 0.8 : 0.3) ? 500 : 1 << 20 },
        };
    }

    public static Task RunAsync() => new BrokerScenario().RunWorldAsync();

    private async Task RunWorldAsync()
    {
        World.After(TimeSpan.FromMinutes(30).Ticks, null, () => World.Fail(new LawException(LawNames.NoEndlessWait, $"The world is still running after 30 minutes: {_ledger}; {string.Join("; ", Broker.Queues.Where(static queue => queue.ReadyCount + queue.Unsettled > 0).Select(static queue => $"{queue.Name} has {queue.ReadyCount} messages and {queue.Unsettled} unsettled"))}.")));
        World.Note($"world: broker, {_partitions} partitions, {(_isAsync ? "asynchronous" : "synchronous")}, {_keys} keys, prefetch {_prefetch}, {_resultsInQueue} results in the queue, retry {_options.RetryDelay.TotalMilliseconds} ms, room {_options.Limits.MaxPendingBytes}");
        var collector = await StartAsync<Result>(Results, OnResult, new SubscriptionOptions { MaxQueueLength = _resultsInQueue, Prefetch = 1 + World.Random.Next(5) }, isAsync: true).ConfigureAwait(false);
        await WhenSubscribedAsync(Results).ConfigureAwait(false);
        for (var count = 1 + World.Random.Next(3); count > 0; count--)
            await AddWorkerAsync().ConfigureAwait(false);
        var lobby = await StartAsync<Job>(null, null, null, isAsync: false).ConfigureAwait(false);
        var publishing = lobby.Process.RunAsync(() => PublishAsync(lobby.Host, 20 + World.Random.Next(100)));
        await DisturbAsync(lobby).ConfigureAwait(false);
        if (_workers.All(static worker => worker.Process.IsDead || worker.IsDisposed))
            await AddWorkerAsync().ConfigureAwait(false);
        await publishing.ConfigureAwait(false);
        while (!_ledger.IsComplete || lobby.Host.GetStatistics().Unconfirmed > 0 || Broker.Queues.Any(queue => queue.ReadyCount + queue.Unsettled > 0 && !_stored.Keys.Any(topic => IsOf(queue, topic))))
            await World.DelayAsync(100).ConfigureAwait(false);
        foreach (var (topic, count) in _stored)
            CheckStored(topic, count);
        foreach (var worker in _workers.Append(lobby).Append(collector).Where(static worker => !worker.Process.IsDead))
            await EndAsync(worker).ConfigureAwait(false);
    }

    private async Task<Worker> StartAsync<T>(string? topic, Func<Worker, T, Origin, Task>? handler, SubscriptionOptions? options, bool isAsync)
    {
        var worker = new Worker(new SimulatedProcess($"{topic ?? "lobby"} {++_processes}"));
        worker.Host = await worker.Process.RunAsync(() => Task.FromResult(RabbitHost.Start(
            new ConnectionFactory(),
            host =>
            {
                host.HandlerFailed += failure => World.Note($"failed: {failure.Exception.Message}");
                host.LinkChanged += (state, reason) => World.Note($"{state}: {reason}");
                if (handler is null)
                    return;
                Register(host, worker, handler, isAsync);
                host.Subscribe(topic!, DeliveryKind.AtLeastOnce, Group, options);
            },
            _options))).ConfigureAwait(false);
        return worker;
    }

    private static void Register<T>(RabbitHost host, Worker worker, Func<Worker, T, Origin, Task> handler, bool isAsync)
    {
        if (isAsync)
            host.On<T>((message, from, _) => new ValueTask(handler(worker, message, from)));
        else
            host.On<T>((in T message, Origin from) => Observe(handler(worker, message, from)));

        // A synchronous handler returns while what it published waits for room.
        static void Observe(Task handled)
        {
            if (handled.IsFaulted)
                handled.GetAwaiter().GetResult();
        }
    }

    private async Task AddWorkerAsync() =>
        _workers.Add(await StartAsync<Job>(Jobs, OnJob, _partitions > 0 ? new SubscriptionOptions { Partitions = _partitions } : new SubscriptionOptions { Prefetch = _prefetch }, _isAsync).ConfigureAwait(false));

    private async Task PublishAsync(RabbitHost host, int count)
    {
        await WhenSubscribedAsync(Jobs).ConfigureAwait(false);
        for (var number = 0; number < count; number++)
        {
            var key = World.Random.Next(_keys);
            _ledger.NotePublished(number, key);
            var job = new Job(number, key, World.Random.Next(World.Random.Chance(0.1) ? 5000 : 50), World.Random.Chance(0.05));
            var status = await host.PublishAsync(Jobs, job, $"key {key}").ConfigureAwait(false);
            Law.Require(status == SendStatus.Sent, LawNames.RequestReason, $"Job {number} was not published, with the status {status}, and its host is not disposed.");
            if (World.Random.Chance(0.1))
                await World.DelayAsync(World.Random.Next(500)).ConfigureAwait(false);
        }
    }

    /// <summary>Waits until a topic has its group. Before that, the broker drops its messages.</summary>
    private static async Task WhenSubscribedAsync(string topic)
    {
        while (!Broker.IsBound(topic))
            await World.DelayAsync(50).ConfigureAwait(false);
    }

    private async Task OnJob(Worker worker, Job job, Origin from)
    {
        Law.Require(!worker.IsDisposed, LawNames.NothingAfterDisposal, $"{worker.Process.Name} handles job {job.Number} after DisposeAsync.");
        World.Note($"job {job.Number} of key {job.Key}{(from.IsRepeated ? ", repeated" : "")}");
        var mayBeTwice = Broker.Queues.Any(queue => queue.FirstMarked <= (long)from.Number);
        _ledger.Begin(worker.Process, job, from, mayBeTwice);
        try
        {
            if (job.Throws && from.Tries == 1)
                throw new InvalidOperationException("as the job says");
            if (_isAsync)
                await World.DelayAsync(job.Milliseconds).ConfigureAwait(false);
        }
        finally
        {
            _ledger.End(worker.Process, job);
        }

        var status = await worker.Host.PublishAsync(Results, new Result(job.Number), DeliveryKind.AtLeastOnce).ConfigureAwait(false);
        World.Note($"result of {job.Number}: {status}");
    }

    private async Task OnResult(Worker worker, Result result, Origin from)
    {
        if (_slowness > 0)
            await World.DelayAsync(World.Random.Next(_slowness)).ConfigureAwait(false);
        World.Note($"collected {result.Number}");
        _ledger.NoteResult(result.Number);
    }

    /// <summary>Stops a queue that the lobby publishes to, and checks that the lobby still publishes to another one.</summary>
    private async Task LoseMajorityAsync(Worker lobby)
    {
        foreach (var topic in new[] { Spares, Others })
        {
            await lobby.Process.RunAsync(async () => await lobby.Host.DeclareGroupAsync(topic, Group).ConfigureAwait(false)).ConfigureAwait(false);
            _stored.TryAdd(topic, 0);
        }

        var stopped = Broker.Queues.Single(static queue => IsOf(queue, Spares));
        stopped.SetMajority(false);
        var count = World.Random.Chance(0.3) ? 300 : 3;
        var publishing = StoreAsync(lobby, Spares, 1 + World.Random.Next(count));
        await World.DelayAsync(World.Random.Next(World.Random.Chance(0.5) ? 100 : 10_000)).ConfigureAwait(false);
        var others = StoreAsync(lobby, Others, 1 + World.Random.Next(count));
        await World.DelayAsync(World.Random.Chance(0.3) ? 100_000 : 30_000).ConfigureAwait(false);
        var stored = Broker.Queues.Single(static queue => IsOf(queue, Others)).Ready.Select(static message => message.Properties.Timestamp.UnixTime).Distinct().Count();
        Law.Require(others.IsCompleted && stored == _stored[Others], BrokerLawNames.OnlyItself, $"{stored} of {_stored[Others]} messages to another queue are stored at least 30 s after their publication.");
        stopped.SetMajority(true);
        await Task.WhenAll(publishing, others).ConfigureAwait(false);
    }

    private async Task StoreAsync(Worker lobby, string topic, int count)
    {
        for (; count > 0; count--)
        {
            _stored[topic]++;
            var status = await lobby.Process.RunAsync(async () => await lobby.Host.PublishAsync(topic, new Result(count), DeliveryKind.AtLeastOnce).ConfigureAwait(false)).ConfigureAwait(false);
            Law.Require(status == SendStatus.Sent, LawNames.RequestReason, $"A message to {topic} was not published, with the status {status}, and its host is not disposed.");
        }
    }

    /// <summary>Checks the messages of a queue without a consumer: each is there, in order, and each copy is marked.</summary>
    private static void CheckStored(string topic, int count)
    {
        var seen = new HashSet<long>();
        foreach (var message in Broker.Queues.Single(queue => IsOf(queue, topic)).Ready)
        {
            var number = message.Properties.Timestamp.UnixTime;
            Law.Require(number <= seen.Count + 1, BrokerLawNames.KeyOrder, $"Message {number} of {topic} is stored after {seen.Count} messages.");
            Law.Require(seen.Add(number) || message.Properties.Headers?.ContainsKey("x-repeated") == true, BrokerLawNames.Marked, $"Message {number} of {topic} is stored again without the mark.");
        }

        Law.Require(seen.Count == count, BrokerLawNames.Delivered, $"{seen.Count} of {count} messages of {topic} are stored.");
    }

    private static bool IsOf(BrokerQueue queue, string topic) => queue.Name.EndsWith($".kept.{Group}.{topic}", StringComparison.Ordinal);

    private async Task DisturbAsync(Worker lobby)
    {
        for (var left = World.Random.Chance(0.2) ? 0 : World.Random.Next(8); left > 0; left--)
        {
            await World.DelayAsync(World.Random.Next(World.Random.Chance(0.5) ? 200 : 5000)).ConfigureAwait(false);
            switch (World.Random.Next(10))
            {
                case 0 or 1 when Broker.Connections.Count > 0:
                    var lost = Broker.Connections[World.Random.Next(Broker.Connections.Count)];
                    World.Note($"fault: loses {lost.Name} of {lost.Process.Name}");
                    Broker.Lose(lost);
                    break;
                case 2:
                    await Broker.RestartAsync(World.Random.Next(3000)).ConfigureAwait(false);
                    break;
                case 3:
                    Broker.SetAlarm(true);
                    await World.DelayAsync(World.Random.Next(3000)).ConfigureAwait(false);
                    Broker.SetAlarm(false);
                    break;
                case 4 when Broker.Connections.SelectMany(static connection => connection.Channels).FirstOrDefault(static channel => channel.HasUnsettled) is { } channel:
                    channel.CloseByBroker(new ClosedByBrokerException(406, "PRECONDITION_FAILED - delivery acknowledgement timed out"));
                    break;
                case 5 when _workers.Count > 0:
                    var killed = _workers[World.Random.Next(_workers.Count)];
                    World.Note($"fault: kills {killed.Process.Name}");
                    _ledger.Forget(killed.Process);
                    killed.Process.Kill(isSilent: false);
                    break;
                case 6 or 8 when _workers.Find(static worker => !worker.Process.IsDead && !worker.IsDisposed) is { } ended:
                    await EndAsync(ended).ConfigureAwait(false);
                    break;
                case 7:
                    await LoseMajorityAsync(lobby).ConfigureAwait(false);
                    break;
                default:
                    await AddWorkerAsync().ConfigureAwait(false);
                    break;
            }
        }
    }

    private static async Task EndAsync(Worker worker)
    {
        if (worker.IsDisposed)
            return;
        World.Note($"disposes {worker.Process.Name}");
        await worker.Process.RunAsync(async () => await worker.Host.DisposeAsync().ConfigureAwait(false)).ConfigureAwait(false);
        worker.IsDisposed = true;
    }

    /// <summary>A process with a host.</summary>
    private sealed class Worker(SimulatedProcess process)
    {
        public SimulatedProcess Process { get; } = process;

        public RabbitHost Host { get; set; } = null!;

        public bool IsDisposed { get; set; }
    }
}

/// <summary>What happened to the jobs of a <see cref="BrokerScenario"/>.</summary>
/// <param name="isPartitioned">Whether the jobs of one key are handled one after another.</param>
internal sealed class JobLedger(bool isPartitioned)
{
    private readonly Dictionary<int, int> _keyOf = [];
    private readonly HashSet<int> _handled = [];
    private readonly HashSet<int> _collected = [];
    private readonly Dictionary<int, int> _lastOfKey = [];
    private readonly HashSet<(SimulatedProcess Process, int Number)> _running = [];

    /// <summary>Whether each job has a result.</summary>
    public bool IsComplete => _collected.Count == _keyOf.Count;

    public void NotePublished(int number, int key) => _keyOf.Add(number, key);

    /// <summary>Records that a handler begins.</summary>
    /// <param name="process">The process of the handler.</param>
    /// <param name="job">The job.</param>
    /// <param name="from">Where the job comes from.</param>
    /// <param name="mayBeTwice">Whether the broker may have stored the job twice, because its confirm was lost. Without partitions, both may be handled at the same time.</param>
    public void Begin(SimulatedProcess process, Job job, Origin from, bool mayBeTwice)
    {
        Law.Require(_keyOf.ContainsKey(job.Number), LawNames.OnlySent, $"Job {job.Number} is handled, and was not published.");
        Law.Require(mayBeTwice || !_running.Contains((process, job.Number)), BrokerLawNames.OneHandler, $"{process.Name} handles job {job.Number} while it handles the same job.");
        if (isPartitioned && _running.FirstOrDefault(entry => entry.Process == process && _keyOf[entry.Number] == job.Key) is { Process: not null } other)
            Law.Require(false, BrokerLawNames.OneHandler, $"{process.Name} handles job {job.Number} of key {job.Key} while it handles job {other.Number} of the same key.");
        _running.Add((process, job.Number));
        Law.Require(_handled.Add(job.Number) || from.IsRepeated, BrokerLawNames.Marked, $"Job {job.Number} is handled again without the mark.");
        if (!isPartitioned || from.IsRepeated)
            return;
        var last = _lastOfKey.GetValueOrDefault(job.Key, -1);
        Law.Require(job.Number > last, BrokerLawNames.KeyOrder, $"Job {job.Number} of key {job.Key} is handled for the first time after job {last}.");
        _lastOfKey[job.Key] = job.Number;
    }

    /// <summary>Records that a handler ends.</summary>
    public void End(SimulatedProcess process, Job job) => _running.Remove((process, job.Number));

    public void NoteResult(int number) => _collected.Add(number);

    /// <summary>Records that the handlers of a process ended with it.</summary>
    public void Forget(SimulatedProcess process) => _running.RemoveWhere(entry => entry.Process == process);

    public override string ToString() => $"{_keyOf.Count} jobs, {_handled.Count} handled, without a result: {string.Join(", ", _keyOf.Keys.Where(number => !_collected.Contains(number)).Take(10))}";
}
