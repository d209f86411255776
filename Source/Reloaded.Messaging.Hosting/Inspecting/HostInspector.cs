using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>Replies to inspections of a host, and counts its messages while a peer that inspects is connected. Thread-safe.</summary>
internal sealed class HostInspector
{
    /// <summary>The number of inspections per second that are made anew, because each one describes up to 200 peers and 500 types. Further requests receive the last one.</summary>
    private const int NewPerSecond = 20;

    private readonly object _gate = new();
    private readonly HashSet<Peer> _watchers = [];
    private readonly Stopwatch _uptime = Stopwatch.StartNew();
    private readonly MessageHost _host;
    private HostTraffic? _traffic;
    private HostInspection? _last;
    private TokenBucket _room = new(NewPerSecond, TimeSpan.FromSeconds(1));
    private TimeSpan _filled;
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
        var traffic = Watch(peer, out var last);
        if (last is not null)
            return last;
        using var process = Process.GetCurrentProcess();
        var inspection = new HostInspection
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
        lock (_gate)
            _last = inspection;
        return inspection;
    }

    /// <summary>Returns the counts of messages, which continue until the peer disconnects.</summary>
    /// <param name="peer">The peer that inspects.</param>
    /// <param name="last">The last inspection, if there were too many in this second to make another one.</param>
    private HostTraffic Watch(Peer peer, out HostInspection? last)
    {
        lock (_gate)
        {
            var now = _uptime.Elapsed;
            _room.Fill(now - _filled);
            _filled = now;
            last = _room.TryTake(1) ? null : _last;
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
        _last = null;
    }
}
