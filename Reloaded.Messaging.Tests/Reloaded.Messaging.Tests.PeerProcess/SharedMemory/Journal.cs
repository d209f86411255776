using System.IO;
using System.IO.MemoryMappedFiles;

namespace Reloaded.Messaging.Tests.PeerProcess.SharedMemory;

/// <summary>The last number that was noted of each line, in a file that outlives a process that is killed.</summary>
public sealed class Journal : IDisposable
{
    public const int Lines = 4;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    public Journal(string path)
    {
        _file = MemoryMappedFile.CreateFromFile(path, FileMode.OpenOrCreate, null, Lines * sizeof(long));
        _view = _file.CreateViewAccessor();
    }

    public long this[int line]
    {
        get => _view.ReadInt64(line * sizeof(long));
        set => _view.Write(line * sizeof(long), value);
    }

    public void Dispose()
    {
        _view.Dispose();
        _file.Dispose();
    }
}
