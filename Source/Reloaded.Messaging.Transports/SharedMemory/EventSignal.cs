using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Sleeps and wakes by an event: of this process alone, or with a name under which the other process opens it too.</summary>
/// <remarks>An event that was set stays set until one wait has seen it. So a wake-up between the last look and the wait is not lost.</remarks>
internal sealed unsafe class EventSignal(EventWaitHandle handle) : WakeSignal
{
    public override void Wait(int* word, int expected) => handle.WaitOne();

    public override void Wake(int* word) => Set();

    public void Set() => handle.Set();

    public override void Dispose() => handle.Dispose();
}
