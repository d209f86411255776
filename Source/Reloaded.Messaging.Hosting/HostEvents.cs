using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Raises the events of a host. An exception of a listener is treated as that of a handler. Thread-safe.</summary>
internal sealed class HostEvents
{
    public event Action<Peer>? PeerConnected;

    public event Action<Peer, DisconnectReason>? PeerDisconnected;

    public event Action<Peer, ContractMismatch>? ContractMismatched;

    public event Action<Exception>? DatagramFailed;

    public event Action<PumpStall>? PumpStalled;

    /// <summary>The exceptions of handlers and listeners.</summary>
    public FailureReporter<HandlerFailure> Failures { get; } = new();

    public void ReportFailure(Peer peer, uint type, Exception exception) => Failures.Report(new HandlerFailure(peer, type, exception));

    public void RaiseConnected(Peer peer) => Call(peer, () => PeerConnected?.Invoke(peer));

    public void RaiseDisconnected(Peer peer, DisconnectReason reason) => Call(peer, () => PeerDisconnected?.Invoke(peer, reason));

    public void RaiseMismatch(Peer peer, ContractMismatch mismatch) => Call(peer, () => ContractMismatched?.Invoke(peer, mismatch));

    /// <remarks>A listener's exception is only counted: the datagram's own exception is counted by the transport.</remarks>
    public void RaiseDatagramFailed(Exception exception) => Failures.Call(DatagramFailed, exception);

    /// <remarks>On the thread pool. A listener's exception is only counted: it concerns no peer.</remarks>
    public void RaisePumpStalled(PumpStall stall) => Task.Run(() => Failures.Call(PumpStalled, stall));

    /// <summary>Calls the listeners of an event that concerns a peer.</summary>
    public void Call(Peer peer, Action call) => Failures.Call(call, e => new HandlerFailure(peer, 0, e));
}
