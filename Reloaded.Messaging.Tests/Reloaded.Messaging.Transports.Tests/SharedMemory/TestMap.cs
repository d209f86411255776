using System.IO;
using System.IO.MemoryMappedFiles;

namespace Reloaded.Messaging.Tests.SharedMemory;

/// <summary>A map of a file that goes with it, and what a test reads and writes in it past the classes under test.</summary>
internal sealed unsafe class TestMap : IDisposable
{
    public const int Capacity = 4096;

    public TestMap()
    {
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var bytes = RingLayout.SizeFor(Capacity);
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, FileOptions.DeleteOnClose);
        using var mapped = MemoryMappedFile.CreateFromFile(file, null, bytes, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        Map = new SharedMap(mapped, bytes);
    }

    public SharedMap Map { get; }

    public RingProducer NewProducer(uint position = 0) => new(new Ring(Map.Start, RingLayout.ServerRing, RingLayout.Data, Capacity), position);

    public RingConsumer NewConsumer(uint position = 0) => new(new Ring(Map.Start, RingLayout.ServerRing, RingLayout.Data, Capacity), position);

    public void SetTail(uint value) => Volatile.Write(ref *(uint*)(Map.Start + RingLayout.ServerRing + RingLayout.Tail), value);

    public void SetHead(uint value) => Volatile.Write(ref *(uint*)(Map.Start + RingLayout.ServerRing + RingLayout.Head), value);

    /// <summary>Writes anything anywhere, until it is stopped.</summary>
    public void Scribble(int seed, CancellationToken stopping)
    {
        var random = new Random(seed);
        while (!stopping.IsCancellationRequested)
        {
            for (var i = 0; i < 100; i++)
            {
                // Half of it to the fields, and half of these by small numbers, which are more often in range.
                var offset = random.Next(2) == 0 ? random.Next(0x80) * sizeof(int) * 8 : random.Next((int)(Map.Size / sizeof(int))) * sizeof(int);
                Volatile.Write(ref *(int*)(Map.Start + offset), random.Next(2) == 0 ? random.Next(5000) : random.Next(int.MinValue, int.MaxValue));
            }
        }
    }

    public void Dispose() => Map.Dispose();
}
