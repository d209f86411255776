using Microsoft.IO;
using Xunit;

namespace Reloaded.Messaging.Tests.RecyclableStreams;

/// <summary>Counts what becomes of a manager's streams.</summary>
internal sealed class WatchedManager
{
    private int _created;
    private int _disposed;
    private int _disposedTwice;

    public WatchedManager(RecyclableMemoryStreamManager manager)
    {
        Manager = manager;
        manager.StreamCreated += (_, _) => _created++;
        manager.StreamDisposed += (_, _) => _disposed++;
        manager.StreamDoubleDisposed += (_, _) => _disposedTwice++;
    }

    public RecyclableMemoryStreamManager Manager { get; }

    public void AssertAllDisposedOnce(int created)
    {
        Assert.Equal((created, created, 0), (_created, _disposed, _disposedTwice));
        Assert.Equal(0, Manager.SmallPoolInUseSize);
        Assert.Equal(0, Manager.LargePoolInUseSize);
    }
}
