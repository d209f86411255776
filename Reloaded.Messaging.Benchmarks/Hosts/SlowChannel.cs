using System.Diagnostics;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>A channel whose writes take a given time and discard the bytes.</summary>
/// <param name="delayMicroseconds">The time of each write, in microseconds. On Linux the thread sleeps for at least this time; elsewhere it polls the clock, because a sleep is too coarse there.</param>
internal sealed partial class SlowChannel(int delayMicroseconds) : TransportChannel
{
    private long _bytes;

    public override string RemoteName => "discards everything";

    /// <summary>The number of bytes written so far.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    public void Write(int bytes)
    {
        if (delayMicroseconds > 0)
            Wait();
        Volatile.Write(ref _bytes, _bytes + bytes); // only one thread writes at a time
    }

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        Write(frames.Length);
        return default;
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void Abort()
    {
    }

    public override ValueTask DisposeAsync() => default;

    [LibraryImport("libc", EntryPoint = "usleep")]
    private static partial int Sleep(uint microseconds);

    private void Wait()
    {
        if (OperatingSystem.IsLinux())
        {
            _ = Sleep((uint)delayMicroseconds);
            return;
        }

        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMicroseconds < delayMicroseconds)
            Thread.SpinWait(10);
    }
}
