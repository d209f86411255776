using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>A spin lock for short sections that do not wait and do not call code of the program. A thread that finds the lock taken spins, and then yields. Do not copy it, and do not store it in a readonly field.</summary>
/// <remarks>
/// Every sent message enters this lock. A monitor needs an atomic operation and a call into the runtime to enter, and again to leave. This lock needs one
/// atomic operation to enter and one store to leave. It is a struct, so that it lies beside the fields that it protects: the thread that enters the lock gets
/// both with one line of the cache, and another object does not share the line.
/// </remarks>
internal struct ShortLock
{
#if DEBUG
    private const bool TracksOwner = true;
#else
    private const bool TracksOwner = false; // tracking costs more than the lock
#endif

    private SpinLock _lock = new(TracksOwner);

    public ShortLock()
    {
    }

    /// <summary>Enters the lock. Dispose the returned scope to leave it.</summary>
    public Scope Enter()
    {
        var isTaken = false;
        _lock.Enter(ref isTaken);
        return new Scope(MemoryMarshal.CreateSpan(ref _lock, 1));
    }

    /// <summary>Asserts in Debug builds that the current thread holds the lock.</summary>
    [Conditional("DEBUG")]
    public void AssertHeld() => Debug.Assert(_lock.IsHeldByCurrentThread);

    /// <summary>Leaves the lock.</summary>
    /// <remarks>A span of one item, because netstandard2.1 has no fields of references.</remarks>
    public readonly ref struct Scope(Span<SpinLock> taken)
    {
        private readonly Span<SpinLock> _taken = taken;

        public void Dispose() => MemoryMarshal.GetReference(_taken).Exit(useMemoryBarrier: false);
    }
}
