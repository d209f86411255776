using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>How the four threads of a connection are woken that may sleep: two on each side.</summary>
internal sealed class RingSignals : IDisposable
{
    private RingSignals(WakeSignal ownConsumer, WakeSignal ownProducer, WakeSignal otherConsumer, WakeSignal otherProducer) =>
        (OwnConsumer, OwnProducer, OtherConsumer, OtherProducer) = (ownConsumer, ownProducer, otherConsumer, otherProducer);

    /// <summary>The best that this system has.</summary>
    public static WakeMode Best => Futex.IsSupported ? WakeMode.Futex : OperatingSystem.IsWindows() ? WakeMode.NamedEvents : WakeMode.Bytes;

    public WakeSignal OwnConsumer { get; }

    public WakeSignal OwnProducer { get; }

    public WakeSignal OtherConsumer { get; }

    public WakeSignal OtherProducer { get; }

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
    public static RingSignals Create(WakeMode mode, bool isServer, string name, LifelineSender lifeline)
    {
        switch (mode)
        {
            case WakeMode.Futex:
                var futex = new FutexSignal();
                return new RingSignals(futex, futex, futex, futex);
            case WakeMode.NamedEvents:
                var (own, other) = isServer ? ("server", "client") : ("client", "server");
                return new RingSignals(Named(own, "consumer"), Named(own, "producer"), Named(other, "consumer"), Named(other, "producer"));
            default:
                return new RingSignals(
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
