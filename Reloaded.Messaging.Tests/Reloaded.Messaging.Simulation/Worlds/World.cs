using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation;

/// <summary>The world in which a scenario runs: one clock, one queue of work, one source of random numbers. A seed determines all of them.</summary>
/// <remarks>
/// Everything runs on one thread of the thread pool, which has no other thread. The world takes the next event only when no work of the framework waits in
/// the pool, such as the continuation of a task. Events are the work that the library queues, timers, and the arrival of bytes.
/// </remarks>
public static partial class World
{
    private const int StepLimit = 10_000_000;
    private const int KeptNotes = 40;
    private const long BusyTime = 20 * TimeSpan.TicksPerMillisecond;

    private static readonly List<Event> s_ready = [];
    private static readonly PriorityQueue<Event, (long Time, ulong Tie)> s_timed = new();
    private static readonly Queue<string> s_notes = new();
    private static readonly Driver s_driver = new();
    private static readonly ManualResetEventSlim s_ended = new();
    private static long s_now;
    private static int s_steps;
    private static int s_disorder;
    private static ulong s_hash;
    private static Task? s_main;
    private static Exception? s_failure;

    /// <summary>The clock of the world.</summary>
    public static TimeProvider Time { get; } = new WorldTime();

    /// <summary>The random numbers of the world.</summary>
    public static SeededRandom Random { get; } = new();

    /// <summary>The process whose code runs. Timers and sockets belong to the process that created them.</summary>
    public static SimulatedProcess? Current { get; set; }

    /// <summary>The process of code after an <c>await</c>, which the framework may continue amid an event of another process.</summary>
    private static readonly AsyncLocal<SimulatedProcess?> s_awaiting = new(static change => Current = change.CurrentValue ?? Current);

    /// <summary>Whether each event is written to the output, with its time.</summary>
    public static bool IsTracing { get; set; }

    /// <summary>The time in milliseconds since an arbitrary begin.</summary>
    public static long Milliseconds => s_now / TimeSpan.TicksPerMillisecond;

    /// <summary>The time in ticks of 100 ns since an arbitrary begin.</summary>
    public static long Now => s_now;

    /// <summary>A hash of all events of the run. Two runs of one seed have the same hash.</summary>
    public static ulong Hash => s_hash;

    /// <summary>The number of events of the run.</summary>
    public static int Steps => s_steps;

    /// <summary>The last notes of the run, the newest last.</summary>
    public static IReadOnlyCollection<string> Notes => s_notes;

    /// <summary>Runs a scenario until its task completes.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="main">The scenario.</param>
    /// <returns>The exception that the scenario threw; <c>null</c> for none.</returns>
    public static Exception? Run(ulong seed, Func<Task> main)
    {
        ThreadPool.SetMinThreads(1, 1);
        if (!ThreadPool.SetMaxThreads(1, 1))
            throw new InvalidOperationException("The thread pool cannot be limited to one thread.");
        s_ready.Clear();
        s_timed.Clear();
        s_notes.Clear();
        (s_now, s_steps, s_hash, s_main, s_failure, Current) = (1000 * TimeSpan.TicksPerSecond, 0, 14695981039346656037, null, null, null);
        Random.Reset(seed);
        Replacements.Reset();
        Network.Reset();
        ResetOthers();
        s_disorder = Random.Next(4) switch { 0 => 0, 1 => 2, 2 => 8, _ => 1 };
        s_ended.Reset();
        var scenario = new SimulatedProcess("scenario");
        s_ready.Add(new Event(() => s_main = StartAsync(scenario, main), scenario));
        ThreadPool.UnsafeQueueUserWorkItem(s_driver, preferLocal: false);
        s_ended.Wait();
        return s_failure ?? s_main?.Exception?.InnerException;
    }

    /// <summary>Queues work of the current process.</summary>
    public static bool Queue(IThreadPoolWorkItem item)
    {
        s_ready.Add(new Event(item.Execute, Current));
        return true;
    }

    /// <summary>Queues an event of a process.</summary>
    public static void Post(SimulatedProcess? process, Action run) => s_ready.Add(new Event(run, process));

    /// <summary>Runs code of a process after a delay.</summary>
    /// <param name="delay">The delay, in ticks of 100 ns.</param>
    /// <param name="process">The process; <c>null</c> for the network and the scenario.</param>
    /// <param name="run">The code.</param>
    public static Event After(long delay, SimulatedProcess? process, Action run)
    {
        var made = new Event(run, process);
        s_timed.Enqueue(made, (s_now + Math.Max(0, delay), Random.NextUInt64()));
        return made;
    }

    /// <summary>Lets the current asynchronous method continue as a process.</summary>
    public static void Enter(SimulatedProcess process) => s_awaiting.Value = process;

    /// <summary>Waits in the time of the world.</summary>
    public static Task DelayAsync(double milliseconds) => Task.Delay(TimeSpan.FromMilliseconds(milliseconds), Time);

    /// <summary>Writes a note, which a failure shows.</summary>
    public static void Note(string note)
    {
        var line = $"{(s_now - (1000 * TimeSpan.TicksPerSecond)) / (double)TimeSpan.TicksPerMillisecond,12:0.000} ms  {Current?.Name,-10} {note}";
        if (IsTracing)
            Console.WriteLine(line);
        s_notes.Enqueue(line);
        if (s_notes.Count > KeptNotes)
            s_notes.Dequeue();
    }

    /// <summary>Ends the run with a failure.</summary>
    public static void Fail(Exception failure) => s_failure ??= failure;

    /// <summary>Removes what an earlier world had, besides its network.</summary>
    static partial void ResetOthers();

    /// <summary>Runs the next event.</summary>
    /// <returns><c>false</c> if the run has ended.</returns>
    private static bool Step()
    {
        if (s_failure is not null || s_main is { IsCompleted: true })
            return false;
        if (++s_steps > StepLimit)
            throw new LawException(LawNames.NoEndlessWait, $"The scenario is still running after {StepLimit} events.");
        var next = TakeNext() ?? throw new LawException(LawNames.NoEndlessWait, "The scenario waits, and neither work, nor a timer, nor a byte is left that could continue it.");
        if (next.IsCanceled || next.Process is { IsDead: true })
            return true;
        if (next.Process is { IsPaused: true } paused)
        {
            paused.Hold(next.Run);
            return true;
        }

        Current = s_awaiting.Value = next.Process;
        s_hash = (s_hash ^ (ulong)s_now ^ ((ulong)s_ready.Count << 48)) * 1099511628211;
        next.Run();
        return true;
    }

    private static async Task StartAsync(SimulatedProcess scenario, Func<Task> main)
    {
        Enter(scenario);
        await main().ConfigureAwait(false);
    }

    private static Event? TakeNext()
    {
        // Sometimes a timer or a byte comes before work that waits, as on a machine whose threads are busy for some milliseconds.
        var isTimed = s_ready.Count == 0 || (s_disorder > 0 && s_timed.TryPeek(out _, out var soonest) && soonest.Time - s_now < BusyTime && Random.Next(64) == 0);
        if (isTimed && s_timed.TryDequeue(out var timed, out var key))
        {
            s_now = Math.Max(s_now, key.Time);
            return timed;
        }

        if (s_ready.Count == 0)
            return null;
        var index = s_disorder > 0 && Random.Next(s_disorder) == 0 ? Random.Next(s_ready.Count) : 0;
        var taken = s_ready[index];
        s_ready.RemoveAt(index);
        return taken;
    }

    /// <summary>An event: work, a timer, or the arrival of bytes.</summary>
    public sealed class Event(Action run, SimulatedProcess? process)
    {
        /// <summary>Whether the event does nothing when its time comes.</summary>
        public bool IsCanceled { get; private set; }

        internal Action Run { get; } = run;

        internal SimulatedProcess? Process { get; } = process;

        /// <summary>Cancels the event.</summary>
        public void Cancel() => IsCanceled = true;
    }

    /// <summary>Runs one event after another on the only thread of the pool, each after all work that the framework has queued there.</summary>
    private sealed class Driver : IThreadPoolWorkItem
    {
        public void Execute()
        {
            try
            {
                if (ThreadPool.PendingWorkItemCount == 0 && !Step())
                {
                    s_ended.Set();
                    return;
                }
            }
            catch (Exception e)
            {
                Fail(e);
            }

            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }
}
