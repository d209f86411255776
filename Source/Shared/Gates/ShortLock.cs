using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>A spin lock for short sections that do not wait and do not call code of the program. A thread that finds the lock taken spins, and then yields.</summary>
/// <remarks>
/// Every sent message enters this lock. A monitor needs an atomic operation and a call into the runtime to enter, and again to leave. This lock needs one
/// atomic operation to enter and one store to leave.
/// </remarks>
internal sealed class ShortLock
{
#if DEBUG
    private const bool TracksOwner = true;
#else
    private const bool TracksOwner = false; // tracking costs more than the lock
#endif

    private SpinLock _lock = new(TracksOwner);

    /// <summary>Enters the lock. Dispose the returned scope to leave it.</summary>
    public Scope Enter()
    {
        var isTaken = false;
        _lock.Enter(ref isTaken);
        return new Scope(this);
    }

    /// <summary>Asserts in Debug builds that the current thread holds the lock.</summary>
    [Conditional("DEBUG")]
    public void AssertHeld() => Debug.Assert(_lock.IsHeldByCurrentThread);

    public readonly ref struct Scope(ShortLock taken)
    {
        public void Dispose() => taken._lock.Exit(useMemoryBarrier: false);
    }
}
