using System.IO.MemoryMappedFiles;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

/// <summary>The memory of a map is freed once, when its owner and all threads that use it have ended.</summary>
public sealed class SharedMapTests
{
    private const int Size = 4096;

    [Fact]
    public void Map_that_is_disposed_is_freed_once_by_the_last_use()
    {
        using var file = MemoryMappedFile.CreateNew(null, Size);
        var freed = new Counter();
        var map = new SharedMap(file, Size) { FreedWithMap = freed };
        Assert.Equal(Size, map.Size);
        Assert.True(map.TryEnter());

        map.Dispose();
        map.Dispose();
        Assert.False(map.TryEnter());
        Assert.Equal(0, freed.Count);
        map.Exit();

        Assert.Equal(1, freed.Count);
        Assert.False(map.TryEnter());
        Assert.Equal(1, freed.Count);
    }

    [Fact]
    public void Map_without_a_use_is_freed_by_its_owner()
    {
        using var file = MemoryMappedFile.CreateNew(null, Size);
        var freed = new Counter();
        var map = new SharedMap(file, Size) { FreedWithMap = freed };

        map.Dispose();

        Assert.Equal(1, freed.Count);
    }

    private sealed class Counter : IDisposable
    {
        public int Count { get; private set; }

        public void Dispose() => Count++;
    }
}
