namespace Reloaded.Messaging;

/// <summary>Sleeps and wakes by the call that Linux has for words in shared memory (man 2 futex).</summary>
internal sealed unsafe class FutexSignal : WakeSignal
{
    public override void Wait(int* word, int expected) => Futex.Wait(word, expected);

    public override void Wake(int* word) => Futex.Wake(word);

    public override void Dispose()
    {
        // A word is nothing of the system's.
    }
}
