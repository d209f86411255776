using System.IO.MemoryMappedFiles;

namespace Reloaded.Messaging;

/// <summary>Memory that two processes have in common.</summary>
/// <remarks>
/// The memory is unmapped when the owner has disposed the map and no thread uses it any more. A thread that reads or writes the memory does so
/// between <see cref="TryEnter"/> and <see cref="Exit"/>. Thread-safe.
/// </remarks>
internal sealed unsafe class SharedMap : IDisposable
{
    private readonly MemoryMappedViewAccessor _view;
    private int _uses = 1;
    private int _isFreed;
    private volatile bool _isDisposed;

    /// <param name="file">The file to map. It can be closed and deleted afterwards: the memory stays until both sides have unmapped it.</param>
    /// <param name="size">The number of bytes to map, from the start.</param>
    public SharedMap(MemoryMappedFile file, long size)
    {
        _view = file.CreateViewAccessor(0, size, MemoryMappedFileAccess.ReadWrite);
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        Start = start;
        Size = size;
    }

    /// <summary>The first byte: at a page.</summary>
    public readonly byte* Start;

    /// <summary>The size that was asked for, in bytes.</summary>
    public readonly long Size;

    /// <summary>Freed with the memory, since it is used together with the memory.</summary>
    public IDisposable? FreedWithMap;

    /// <summary>Begins a use of the memory.</summary>
    /// <returns><c>false</c> if the map was disposed: then the memory may be gone.</returns>
    public bool TryEnter()
    {
        Interlocked.Increment(ref _uses);
        if (!_isDisposed)
            return true;
        Exit();
        return false;
    }

    /// <summary>Ends a use of the memory.</summary>
    public void Exit()
    {
        if (Interlocked.Decrement(ref _uses) == 0 && Interlocked.Exchange(ref _isFreed, 1) == 0)
            Free();
    }

    /// <summary>Ends the owner's use. The first call counts.</summary>
    public void Dispose()
    {
        lock (_view)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
        }

        Exit();
    }

    private void Free()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        FreedWithMap?.Dispose();
    }
}
