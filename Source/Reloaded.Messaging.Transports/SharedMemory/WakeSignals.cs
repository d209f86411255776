using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>How the four threads of a connection are woken that may sleep: two on each side.</summary>
internal sealed class WakeSignals : IDisposable
{
    private WakeSignals(WakeSignal ownConsumer, WakeSignal ownProducer, WakeSignal otherConsumer, WakeSignal otherProducer) =>
        (OwnConsumer, OwnProducer, OtherConsumer, OtherProducer) = (ownConsumer, ownProducer, otherConsumer, otherProducer);

    /// <summary>The best that this system has.</summary>
    public static WakeMode Best => Futex.IsSupported ? WakeMode.Futex : OperatingSystem.IsWindows() ? WakeMode.NamedEvents : WakeMode.Bytes;

    public readonly WakeSignal OwnConsumer;

    public readonly WakeSignal OwnProducer;

    public readonly WakeSignal OtherConsumer;

    public readonly WakeSignal OtherProducer;

    public static bool IsSupported(WakeMode mode) => mode switch
    {
        WakeMode.Futex => Futex.IsSupported,
        WakeMode.NamedEvents => OperatingSystem.IsWindows(),
        _ => mode == WakeMode.Bytes,
    };

    /// <param name="mode">By what; supported.</param>
    /// <param name="isServer">Which side this is.</param>
    /// <param name="name">The name of the map, which no other connection has.</param>
    /// <param name="lifeline">Sends over the lifeline.</param>
    public static WakeSignals Create(WakeMode mode, bool isServer, string name, LifelineSender lifeline)
    {
        switch (mode)
        {
            case WakeMode.Futex:
                var futex = new FutexSignal();
                return new WakeSignals(futex, futex, futex, futex);
            case WakeMode.NamedEvents:
                var (own, other) = isServer ? ("server", "client") : ("client", "server");
                return new WakeSignals(Named(own, "consumer"), Named(own, "producer"), Named(other, "consumer"), Named(other, "producer"));
            default:
                return new WakeSignals(
                    new EventSignal(new AutoResetEvent(false)),
                    new EventSignal(new AutoResetEvent(false)),
                    new ByteSignal(lifeline, LifelineCode.WakeConsumer),
                    new ByteSignal(lifeline, LifelineCode.WakeProducer));
        }

        EventSignal Named(string side, string role) => new(new EventWaitHandle(false, EventResetMode.AutoReset, $"Local\\reloaded-messaging-{name}-{side}-{role}"));
    }

    /// <summary>Wakes a thread of this side, which the other side has asked for by a byte. Other bytes are ignored.</summary>
    public void Receive(byte code)
    {
        if (code == LifelineCode.WakeConsumer)
            (OwnConsumer as EventSignal)?.Set();
        else if (code == LifelineCode.WakeProducer)
            (OwnProducer as EventSignal)?.Set();
    }

    public void Dispose()
    {
        OwnConsumer.Dispose();
        OwnProducer.Dispose();
        OtherConsumer.Dispose();
        OtherProducer.Dispose();
    }
}

/// <summary>By what sleeping threads of a connection are woken. Both sides use the same; a byte of the server's offer.</summary>
internal enum WakeMode : byte
{
    /// <summary>The words of the map, by Linux.</summary>
    Futex = 1,

    /// <summary>Events with names, by Windows.</summary>
    NamedEvents = 2,

    /// <summary>Bytes over the lifeline (a socket or pipe), on any system.</summary>
    Bytes = 3,
}

/// <summary>How a thread that sleeps at a word of a map is woken.</summary>
/// <remarks>
/// To wake the thread, the word is set to <see cref="SleepState.Awake"/> and then the signal is given: so a thread that has not quite begun
/// to sleep does not begin. A wake-up without a reason is allowed. <see cref="Wake"/> is thread-safe; <see cref="Wait"/> is for one thread.
/// </remarks>
internal abstract unsafe class WakeSignal : IDisposable
{
    /// <summary>Sleeps until the signal is given. Does not sleep if the word has another value.</summary>
    /// <param name="word">The word of this side.</param>
    /// <param name="expected">The value that this side has written to the word.</param>
    public abstract void Wait(int* word, int expected);

    /// <summary>Gives the signal.</summary>
    /// <param name="word">The word of the side to wake, set before.</param>
    public abstract void Wake(int* word);

    public abstract void Dispose();
}

/// <summary>Sleeps and wakes by the call that Linux has for words in shared memory (man 2 futex).</summary>
internal sealed unsafe class FutexSignal : WakeSignal
{
    public override void Wait(int* word, int expected) => Futex.Wait(word, expected);

    public override void Wake(int* word) => Futex.Wake(word);

    public override void Dispose()
    {
        // A word is nothing of the system's.
    }
}

/// <summary>Sleeps and wakes by an event: of this process alone, or with a name under which the other process opens it too.</summary>
/// <remarks>An event that was set stays set until one wait has seen it. So a wake-up between the last look and the wait is not lost.</remarks>
internal sealed unsafe class EventSignal(EventWaitHandle handle) : WakeSignal
{
    public override void Wait(int* word, int expected) => handle.WaitOne();

    public override void Wake(int* word) => Set();

    public void Set() => handle.Set();

    public override void Dispose() => handle.Dispose();
}

/// <summary>Wakes a thread of the other process by a byte over the lifeline.</summary>
internal sealed unsafe class ByteSignal(LifelineSender sender, byte code) : WakeSignal
{
    public override void Wait(int* word, int expected) => throw new NotSupportedException("A thread of the other process waits by its own signal.");

    public override void Wake(int* word) => sender.Send(code);

    public override void Dispose()
    {
        // The channel is not this object's.
    }
}

/// <summary>Waits at a word of shared memory, by Linux.</summary>
/// <remarks>
/// The library of C has no function for it: its <c>syscall</c> is called. Its arguments after the first are variadic, which makes no
/// difference to the caller on x86, x64, arm and arm64 under Linux. On other processors <see cref="IsSupported"/> is <c>false</c>.
/// </remarks>
internal static unsafe class Futex
{
    private const int WaitOperation = 0;
    private const int WakeOperation = 1;

    // The number of the call: linux/arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl, include/uapi/asm-generic/unistd.h, arch/arm/tools/syscall.tbl.
    private static readonly nint s_number = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 202,
        Architecture.Arm64 => 98,
        Architecture.X86 => 240,
        Architecture.Arm => 240,
        _ => 0,
    };

    /// <summary>Whether this system and processor have it.</summary>
    public static readonly bool IsSupported = RuntimeInformation.IsOSPlatform(OSPlatform.Linux) && s_number != 0;

    /// <summary>Sleeps if the word has the value. Returns when it is woken, when the word has another value, and at times without a reason.</summary>
    public static void Wait(int* word, int value) => _ = Call(s_number, word, WaitOperation, value, null, null, 0);

    /// <summary>Wakes the thread that sleeps at the word.</summary>
    public static void Wake(int* word) => _ = Call(s_number, word, WakeOperation, 1, null, null, 0);

    [DllImport("libc", EntryPoint = "syscall"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint Call(nint number, int* word, nint operation, nint value, void* timeout, int* secondWord, nint value3);
}
