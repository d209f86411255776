using System.IO;
using System.Threading;

namespace Reloaded.Messaging.Polyfills;

/// <summary>A file with a lock of the system, for a runtime whose own locks apply only within the process. The streams of .NET take the same lock.</summary>
internal sealed class LockedStream : FileStream
{
    private const int None = -1;

    private int _lock = None; // set before the base constructor runs: if that throws, the finalizer still calls Dispose

    public LockedStream(string path, FileAccess access, bool isExclusive)
        : base(path, FileMode.Open, access, FileShare.ReadWrite | FileShare.Delete)
    {
        try
        {
            _lock = LibC.Lock(path, isExclusive);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    protected override void Dispose(bool disposing)
    {
        base.Dispose(disposing);
        if (Interlocked.Exchange(ref _lock, None) is not None and var file)
            LibC.Unlock(file);
    }
}
