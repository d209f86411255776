using System;

namespace Reloaded.Messaging;

/// <summary>How a thread that sleeps at a word of a map is woken.</summary>
/// <remarks>
/// To wake the thread, the word is set to <see cref="SleepState.Awake"/> and then the signal is given: so a thread that has not quite begun
/// to sleep does not begin. A wake-up without a reason is allowed. <see cref="Wake"/> is thread-safe; <see cref="Wait"/> is for one thread.
/// </remarks>
internal abstract unsafe class WakeSignal : IDisposable
{
    /// <summary>Sleeps until the signal is given. Does not sleep if the word has another value.</summary>
    /// <param name="word">The word of this side.</param>
    /// <param name="expected">The value that this side has written to the word.</param>
    public abstract void Wait(int* word, int expected);

    /// <summary>Gives the signal.</summary>
    /// <param name="word">The word of the side to wake, set before.</param>
    public abstract void Wake(int* word);

    public abstract void Dispose();
}
