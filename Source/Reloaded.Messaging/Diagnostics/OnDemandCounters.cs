using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>The two counts that every message would change. They are kept only while a listener collects them.</summary>
/// <remarks>
/// Checking an instrument for listeners takes three dependent loads; this flag takes one. A collection sets the
/// flag, and a Gen2 collection clears it when there was no collection for ten minutes. Dispatchers are notified of both, so that their
/// shortest path does not read the flag.
/// </remarks>
internal static class OnDemandCounters
{
    /// <summary>Whether to count. Read without a fence, so the first messages may be missed or counted.</summary>
    internal static bool IsOn;

    private static readonly List<WeakReference<ICountingObserver>> s_observers = [];
    private static readonly long s_idleTicks = 600 * Stopwatch.Frequency;
    private static long s_packed;
    private static long s_dispatched;
    private static long s_collectedAt;

    internal static void AddPacked(int messages) => Interlocked.Add(ref s_packed, messages);

    internal static void AddDispatched() => Interlocked.Increment(ref s_dispatched);

    internal static long CollectPacked() => Collect(ref s_packed);

    internal static long CollectDispatched() => Collect(ref s_dispatched);

    /// <summary>Notifies an object, as long as it is alive, whenever counting starts or stops.</summary>
    internal static void Inform(ICountingObserver observer)
    {
        lock (s_observers)
        {
            s_observers.Add(new WeakReference<ICountingObserver>(observer));
            observer.OnCountingChanged(); // counting may have started since the observer last checked
        }
    }

    /// <summary>Stops counting when there are no more collections.</summary>
    internal static void StopIfIdle(long now)
    {
        lock (s_observers)
        {
            s_observers.RemoveAll(static reference => !reference.TryGetTarget(out _));
            var collectedAt = Volatile.Read(ref s_collectedAt);
            if (!IsOn || now - collectedAt <= s_idleTicks)
                return;

            IsOn = false;
            Interlocked.MemoryBarrier();
            if (Volatile.Read(ref s_collectedAt) != collectedAt)
                IsOn = true; // a collection happened meanwhile, and may have seen the flag before it was cleared
            else
                InformAll();
        }
    }

    private static long Collect(ref long count)
    {
        Volatile.Write(ref s_collectedAt, Stopwatch.GetTimestamp());
        Interlocked.MemoryBarrier();
        if (!IsOn)
            Start();
        return Volatile.Read(ref count);
    }

    private static void Start()
    {
        lock (s_observers)
        {
            if (IsOn)
                return;
            IsOn = true;
            InformAll();
        }
    }

    private static void InformAll()
    {
        Debug.Assert(Monitor.IsEntered(s_observers));
        foreach (var reference in s_observers)
        {
            if (reference.TryGetTarget(out var observer))
                observer.OnCountingChanged();
        }
    }
}

/// <summary>An object that behaves differently while messages are counted.</summary>
internal interface ICountingObserver
{
    /// <summary>Called when <see cref="OnDemandCounters.IsOn"/> has changed. Any thread; must not call back.</summary>
    void OnCountingChanged();
}
