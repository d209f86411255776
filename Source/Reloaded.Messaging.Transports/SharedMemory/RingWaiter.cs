using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The thread that waits for the other side of a ring when nothing came while its own side was spinning.</summary>
/// <remarks>
/// The thread starts with the first wait and ends with the channel. The result of a wait is handled on this thread, so from the wake-up of
/// a receive to the handler of its message there is no other thread. The order of the steps in <see cref="Run"/> is what keeps a wake-up from
/// getting lost; <c>docs/shared-memory.md</c> has the argument, and the model in the test folder checks it.
/// </remarks>
/// <param name="map">The map, in use until the thread ends.</param>
/// <param name="word">Where the other side sees that the thread sleeps.</param>
/// <param name="signal">The signal that wakes the thread.</param>
/// <param name="waiting">The condition.</param>
/// <param name="name">The name of the thread.</param>
internal sealed unsafe class RingWaiter(SharedMap map, int* word, WakeSignal signal, IRingWait waiting, string name)
{
    private int _isStarted;

    /// <summary>Starts the thread, or has it look at the wait that has begun. Between <see cref="SharedMap.TryEnter"/> and <see cref="SharedMap.Exit"/>.</summary>
    public void Begin()
    {
        if (Interlocked.Exchange(ref _isStarted, 1) != 0)
            Notify();
        else if (map.TryEnter())
            new Thread(Run) { IsBackground = true, Name = name }.UnsafeStart();
        else
            waiting.Complete(); // it was closed meanwhile: no thread would say so
    }

    /// <summary>Has the thread look again: the channel was closed, or the other side is gone. Between <see cref="SharedMap.TryEnter"/> and <see cref="SharedMap.Exit"/>.</summary>
    /// <remarks>Wakes it whatever the word says. The other side may have died after it cleared the word and before it gave the signal.</remarks>
    public void Notify()
    {
        if (Volatile.Read(ref _isStarted) == 0)
            return;
        Interlocked.Exchange(ref *word, SleepState.Awake);
        signal.Wake(word);
    }

    private void Run()
    {
        while (!waiting.IsOver)
        {
            var isWaiting = waiting.IsPending;
            if (isWaiting && waiting.CanComplete)
            {
                waiting.Complete();
                continue;
            }

            var state = isWaiting ? SleepState.Waiting : SleepState.Idle;
            Volatile.Write(ref *word, state);
            Interlocked.MemoryBarrier(); // the other side sees that this side sleeps, or this side sees what the other side did
            if (!waiting.IsOver && waiting.IsPending == isWaiting && !(isWaiting && waiting.CanComplete))
                signal.Wait(word, state);
            Volatile.Write(ref *word, SleepState.Awake);
        }

        waiting.Complete();
        map.Exit();
    }
}
