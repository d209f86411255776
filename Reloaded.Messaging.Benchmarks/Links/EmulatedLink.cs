using System.Buffers;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Reloaded.Messaging.Benchmarks.Links;

/// <summary>The properties of a path. Both directions are the same.</summary>
/// <param name="Name">The name in figures.</param>
/// <param name="RoundTrip">The round trip without a queue.</param>
/// <param name="Loss">The share of lost packets.</param>
/// <param name="Rate">Bits per second.</param>
/// <param name="Queue">The bytes that wait for the rate. Further packets are lost.</param>
public sealed record LinkOptions(string Name, TimeSpan RoundTrip, double Loss, double Rate, int Queue)
{
    /// <summary>The largest additional delay of a packet in each direction. Packets keep their order.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>The properties in the first two seconds after a packet; <c>null</c> if the path does not change.</summary>
    public LinkOptions? Before { get; init; }
}

/// <summary>Two network namespaces of Linux and the path between them, which carries every protocol over IP. Needs root.</summary>
/// <remarks>Each namespace has a TUN device. One thread moves the packets from one device to the other, with a delay, losses and a rate.</remarks>
public sealed class EmulatedLink : IDisposable
{
    /// <summary>The address of the server.</summary>
    public const string ServerAddress = "10.9.0.2";

    private const int MaxPacket = 1600;
    private const int NetworkNamespace = 0x40000000;
    private const int TunDevice = 1;
    private const int NoPacketInformation = 0x1000;
    private const uint SetInterface = 0x400454CA;
    private const int SetFileFlags = 4;
    private const int NonBlocking = 0x802;

    private static readonly long s_change = 2 * Stopwatch.Frequency;

    private readonly LinkOptions _options;
    private readonly SafeFileHandle[] _devices = new SafeFileHandle[2];
    private readonly PriorityQueue<Packet, (long At, long Order)> _packets = new();
    private readonly Random _random = new(1);
    private readonly long[] _busyUntil = new long[2];
    private readonly long[] _lastArrival = new long[2];
    private readonly Thread _thread;
    private volatile bool _isStopped;
    private long _changesAt;
    private long _order;

    public EmulatedLink(LinkOptions options)
    {
        _options = options;
        for (var i = 0; i < Namespaces.Length; i++)
        {
            Run("ip", "netns", "add", Namespaces[i]);
            _devices[i] = OpenDevice(Namespaces[i]);
            Run("ip", "-n", Namespaces[i], "link", "set", "lo", "up");
            Run("ip", "-n", Namespaces[i], "addr", "add", i == 0 ? "10.9.0.1/24" : $"{ServerAddress}/24", "dev", "path0");
            Run("ip", "-n", Namespaces[i], "link", "set", "path0", "mtu", "1500", "txqueuelen", "1000", "up");
        }

        _thread = new Thread(Move) { IsBackground = true, Priority = ThreadPriority.Highest };
        _thread.Start();
    }

    /// <summary>Why links cannot be emulated here; <c>null</c> if they can.</summary>
    public static string? Missing => !OperatingSystem.IsLinux() ? "The emulated path needs Linux."
        : Environment.UserName != "root" ? "The emulated path needs root, for network namespaces."
        : !File.Exists("/dev/net/tun") ? "The emulated path needs /dev/net/tun."
        : null;

    /// <summary>The namespaces of the client and of the server.</summary>
    public string[] Namespaces { get; } = [$"path-client-{Environment.ProcessId}", $"path-server-{Environment.ProcessId}"];

    /// <summary>Begins with the properties before the change again, at the next packet.</summary>
    public void Begin() => Volatile.Write(ref _changesAt, 0);

    public void Dispose()
    {
        _isStopped = true;
        _thread.Join();
        foreach (var device in _devices)
            device.Dispose();
        foreach (var name in Namespaces)
            Run("ip", "netns", "del", name);
    }

    internal static void Run(string program, params string[] arguments)
    {
        using var process = Process.Start(program, arguments);
        process.WaitForExit();
        if (process.ExitCode != 0)
            throw new InvalidOperationException($"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}.");
    }

    /// <summary>Creates a TUN device in a namespace, on a thread that enters the namespace and then ends.</summary>
    private static SafeFileHandle OpenDevice(string name)
    {
        SafeFileHandle? device = null;
        Exception? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                using var space = File.OpenHandle($"/run/netns/{name}");
                Check(SetNamespace(space, NetworkNamespace));
                device = File.OpenHandle("/dev/net/tun", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
                var request = new byte[40]; // ifreq
                Encoding.ASCII.GetBytes("path0", request);
                BitConverter.TryWriteBytes(request.AsSpan(16), (short)(TunDevice | NoPacketInformation));
                Check(Control(device, SetInterface, request));
                Check(SetFlags(device, SetFileFlags, NonBlocking));
            }
            catch (Exception e)
            {
                failure = e;
            }
        });
        thread.Start();
        thread.Join();
        return failure is null ? device! : throw new InvalidOperationException($"The TUN device of {name} was not created: {failure.Message}", failure);

        static void Check(int result)
        {
            if (result < 0)
                throw new IOException($"error {Marshal.GetLastPInvokeError()}: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    private void Move()
    {
        Span<PollEntry> entries = [new PollEntry { Device = (int)_devices[0].DangerousGetHandle(), Events = 1 }, new PollEntry { Device = (int)_devices[1].DangerousGetHandle(), Events = 1 }];
        var buffer = new byte[MaxPacket];
        while (!_isStopped)
        {
            var wait = _packets.TryPeek(out _, out var first) ? Math.Clamp(first.At - Stopwatch.GetTimestamp(), 0, 100_000_000) : 100_000_000; // Stopwatch counts nanoseconds
            var time = new TimeSpec { Nanoseconds = wait };
            _ = Poll(ref entries[0], 2, in time, 0); // after an interruption, nothing can be read
            for (var side = 0; side < 2; side++)
            {
                for (var i = 0; i < 64 && Read(_devices[side], buffer, MaxPacket) is > 0 and var size; i++)
                    Take(side, buffer.AsSpan(0, (int)size));
            }

            var now = Stopwatch.GetTimestamp();
            while (_packets.TryPeek(out var packet, out first) && first.At <= now)
            {
                _packets.Dequeue();
                _ = Write(packet.To, packet.Bytes, packet.Size); // a full device loses the packet
                ArrayPool<byte>.Shared.Return(packet.Bytes);
            }
        }
    }

    private void Take(int side, ReadOnlySpan<byte> bytes)
    {
        var now = Stopwatch.GetTimestamp();
        if (Volatile.Read(ref _changesAt) == 0)
            Volatile.Write(ref _changesAt, now + s_change);
        var options = now < Volatile.Read(ref _changesAt) ? _options.Before ?? _options : _options;
        var nanosecondsPerByte = 8e9 / options.Rate;
        if (_random.NextDouble() < options.Loss || (_busyUntil[side] - now) / nanosecondsPerByte > options.Queue)
            return;
        _busyUntil[side] = Math.Max(now, _busyUntil[side]) + (long)(bytes.Length * nanosecondsPerByte);
        _lastArrival[side] = Math.Max(_lastArrival[side], _busyUntil[side] + (options.RoundTrip.Ticks * 50) + (long)(_random.NextDouble() * options.Jitter.Ticks * 100));
        var copy = ArrayPool<byte>.Shared.Rent(MaxPacket);
        bytes.CopyTo(copy);
        _packets.Enqueue(new Packet(_devices[1 - side], copy, bytes.Length), (_lastArrival[side], _order++));
    }

    private readonly record struct Packet(SafeFileHandle To, byte[] Bytes, int Size);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollEntry
    {
        public int Device;
        public short Events;
        public short Returned;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }

    [DllImport("libc", EntryPoint = "setns", SetLastError = true)]
    private static extern int SetNamespace(SafeFileHandle file, int kind);

    [DllImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    private static extern int Control(SafeFileHandle file, nuint request, byte[] argument);

    [DllImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static extern int SetFlags(SafeFileHandle file, int command, int flags);

    [DllImport("libc", EntryPoint = "ppoll", SetLastError = true)]
    private static extern int Poll(ref PollEntry entries, nuint count, in TimeSpec time, nint signals);

    [DllImport("libc", EntryPoint = "read", SetLastError = true)]
    private static extern nint Read(SafeFileHandle file, byte[] buffer, nuint size);

    [DllImport("libc", EntryPoint = "write", SetLastError = true)]
    private static extern nint Write(SafeFileHandle file, byte[] buffer, nint size);
}
