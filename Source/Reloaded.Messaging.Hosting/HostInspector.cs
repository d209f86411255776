using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>Replies to inspections of a host, and counts its messages while a peer that inspects is connected. Thread-safe.</summary>
internal sealed class HostInspector
{
    private readonly object _gate = new();
    private readonly HashSet<Peer> _watchers = [];
    private readonly Stopwatch _uptime = Stopwatch.StartNew();
    private readonly MessageHost _host;
    private HostTraffic? _traffic;
    private bool _isStopped;

    private HostInspector(MessageHost host) => _host = host;

    /// <inheritdoc cref="MessageHost.AllowInspection"/>
    public static HandlerRegistration Register(MessageHost host)
    {
        var inspector = new HostInspector(host);
        var registration = host.OnRequest<InspectHost, HostInspection>(inspector.Inspect);
        host.PeerDisconnected += inspector.Forget;
        return new HandlerRegistration(() =>
        {
            registration.Dispose();
            host.PeerDisconnected -= inspector.Forget;
            inspector.Stop();
        });
    }

    private HostInspection Inspect(in InspectHost request, Peer peer)
    {
        var traffic = Watch(peer);
        using var process = Process.GetCurrentProcess();
        return new HostInspection
        {
            Process = process.ProcessName,
            ProcessId = process.Id,
            Runtime = RuntimeInformation.FrameworkDescription,
            Uptime = _uptime.Elapsed,
            CountedFor = traffic.Elapsed,
            PeerCount = _host.Registry.Connected.Count,
            Peers = traffic.GetPeers(),
            Types = traffic.GetTypes(),
            Queued = _host.Pumping?.Count ?? 0,
            Counters = InspectedCounters.Read(_host),
        };
    }

    /// <summary>Returns the counts of messages, which continue until the peer disconnects.</summary>
    private HostTraffic Watch(Peer peer)
    {
        lock (_gate)
        {
            var traffic = _traffic ??= new HostTraffic(_host);
            _watchers.Add(peer);
            if (_isStopped || !peer.IsConnected)
                Forget(peer, default); // the event may have been raised before
            return traffic;
        }
    }

    private void Forget(Peer peer, DisconnectReason reason)
    {
        lock (_gate)
        {
            if (_watchers.Remove(peer) && _watchers.Count == 0)
                EndTraffic();
        }
    }

    private void Stop()
    {
        lock (_gate)
        {
            _isStopped = true;
            _watchers.Clear();
            EndTraffic();
        }
    }

    private void EndTraffic()
    {
        _traffic?.Dispose();
        _traffic = null;
    }
}
