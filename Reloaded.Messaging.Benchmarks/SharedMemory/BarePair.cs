using System.Diagnostics;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>Two bare rings in a file that two processes map: there and back.</summary>
public sealed unsafe class BarePair : IDisposable
{
    private const int Stop = -1;
    private const int PingPong = -2;
    private const int OneWay = -3;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly BareRing _there;
    private readonly BareRing _back;

    public BarePair(string path)
    {
        _file = MemoryMappedFile.CreateFromFile(path, FileMode.OpenOrCreate, null, 2 * BareRing.Size);
        _view = _file.CreateViewAccessor();
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        (_there, _back) = (new BareRing(start), new BareRing(start + BareRing.Size));
    }

    /// <summary>The other process's part of one measurement: it spins until that is over.</summary>
    public void Serve()
    {
        var echoes = _there.Read().Number == PingPong;
        var count = 0;
        for (Note note; (note = _there.Read()).Number != Stop; count++)
        {
            if (echoes)
                _back.Write(note);
        }

        _back.Write(new Note { Number = count });
    }

    /// <summary>Round trips a second.</summary>
    public Task<double> PingPongAsync(TimeSpan time) => Task.Run(() =>
    {
        _there.Write(new Note { Number = PingPong });
        var count = 0;
        var watch = Stopwatch.StartNew();
        for (; watch.Elapsed < time;)
        {
            for (var i = 0; i < 100; i++, count++)
            {
                _there.Write(new Note { Number = count });
                if (_back.Read().Number != count)
                    throw new InvalidOperationException("Another note came back.");
            }
        }

        return Finish(count, watch);
    });

    /// <summary>Notes a second, until the other side has read all.</summary>
    public Task<double> OneWayAsync(TimeSpan time) => Task.Run(() =>
    {
        _there.Write(new Note { Number = OneWay });
        var count = 0;
        var watch = Stopwatch.StartNew();
        for (; watch.Elapsed < time;)
        {
            for (var i = 0; i < 1000; i++, count++)
                _there.Write(new Note { Number = count });
        }

        return Finish(count, watch);
    });

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }

    private double Finish(int count, Stopwatch watch)
    {
        _there.Write(new Note { Number = Stop });
        var read = _back.Read().Number;
        return read == count ? count / watch.Elapsed.TotalSeconds : throw new InvalidOperationException($"{count} notes were written and {read} read.");
    }
}
