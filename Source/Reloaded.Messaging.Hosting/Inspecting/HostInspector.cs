using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Replies to inspections of a host, and counts its messages while a peer that inspects is connected. Thread-safe.</summary>
internal sealed class HostInspector
{
    /// <summary>The number of inspections per second that are made anew, because each one describes up to 200 peers and 500 types. Further requests receive the last one.</summary>
    private const int NewPerSecond = 20;

    private readonly object _gate = new();
    private readonly HashSet<long> _watchers = [];
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
            Queued = _host.Inbox?.Count ?? 0,
            Counters = InspectedCounters.Read(_host),
        };
        lock (_gate)
        {
            foreach (var one in inspection.Peers)
                one.IsInspector = _watchers.Contains(one.Id);
            _last = inspection;
        }

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
            _watchers.Add(peer.Id);
            if (_isStopped || !peer.IsConnected)
                Forget(peer, default); // the event may have been raised before
            return traffic;
        }
    }

    private void Forget(Peer peer, DisconnectReason reason)
    {
        lock (_gate)
        {
            if (_watchers.Remove(peer.Id) && _watchers.Count == 0)
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
        Debug.Assert(Monitor.IsEntered(_gate));
        _traffic?.Dispose();
        _traffic = null;
    }
}

/// <summary>Requests a <see cref="HostInspection"/>.</summary>
[Message(LibraryTypes.InspectHost)]
internal sealed class InspectHost;

/// <summary>Counts the messages of a host by peer and by type from its creation until it is disposed. Thread-safe.</summary>
internal sealed class HostTraffic : IDisposable
{
    private const int MaxTypes = 1024;

    /// <summary>The entry of all received types without a contract of this host. Otherwise, a peer could fill the list with invented types.</summary>
    private const uint UnknownTypes = uint.MaxValue;

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly ConcurrentDictionary<long, TrafficCount> _peers = new();
    private readonly ConcurrentDictionary<uint, TrafficCount> _types = new();
    private readonly MessageHost _host;
    private readonly IDisposable _tap;

    public HostTraffic(MessageHost host)
    {
        _host = host;
        _tap = host.Tap(Count);
    }

    /// <summary>The time since the creation.</summary>
    public TimeSpan Elapsed => TimeSpan.FromSeconds((Stopwatch.GetTimestamp() - _start) / (double)Stopwatch.Frequency);

    public void Dispose() => _tap.Dispose();

    /// <summary>Returns the connected peers and their traffic.</summary>
    public List<InspectedPeer> GetPeers()
    {
        foreach (var (id, _) in _peers)
        {
            if (!_host.Registry.Contains(id))
                _peers.TryRemove(id, out _);
        }

        var peers = new List<InspectedPeer>();
        foreach (var (_, peer) in _host.Registry.Connected)
            peers.Add(Describe(peer));
        peers.Sort(static (left, right) => left.Id.CompareTo(right.Id));
        Shorten(peers, HostInspection.MaxPeers);
        return peers;
    }

    /// <summary>Returns the types with traffic, the types with the most messages first.</summary>
    public List<InspectedType> GetTypes()
    {
        var names = new Dictionary<uint, string>();
        foreach (var contract in _host.Contracts.GetAll())
            names[contract.Type] = contract.MessageType.FullName ?? contract.MessageType.Name;
        var types = new List<InspectedType>();
        foreach (var (type, traffic) in _types)
            types.Add(Describe(type, names.TryGetValue(type, out var name) ? name : type == UnknownTypes ? "(types without a contract here)" : "", traffic));
        types.Sort(static (left, right) => (right.Received + right.Sent).CompareTo(left.Received + left.Sent));
        Shorten(types, HostInspection.MaxTypes);
        return types;
    }

    private static void Shorten<T>(List<T> list, int length)
    {
        if (list.Count > length)
            list.RemoveRange(length, list.Count - length);
    }

    private static InspectedType Describe(uint type, string name, TrafficCount traffic) => new()
    {
        Type = type,
        Name = name,
        Received = traffic.Received,
        ReceivedBytes = traffic.ReceivedBytes,
        Sent = traffic.Sent,
        SentBytes = traffic.SentBytes,
    };

    private InspectedPeer Describe(Peer peer)
    {
        const int MaxName = 200;
        var traffic = _peers.GetOrAdd(peer.Id, static _ => new TrafficCount());
        var path = peer.Connection.Path;
        return new InspectedPeer
        {
            Id = peer.Id,
            Name = peer.RemoteName.Length <= MaxName ? peer.RemoteName : peer.RemoteName.Substring(0, MaxName),
            RoundTripTime = peer.RoundTripTime,
            Received = traffic.Received,
            ReceivedBytes = traffic.ReceivedBytes,
            Sent = traffic.Sent,
            SentBytes = traffic.SentBytes,
            PendingBytes = peer.Connection.Outbox.PendingBytes,
            Jitter = path?.Jitter ?? default,
            ReceivedLossShare = path?.ReceivedLossShare ?? 0,
            SentLossShare = path?.SentLossShare ?? 0,
            CongestionWindow = path?.CongestionWindow ?? 0,
        };
    }

    private void Count(in TappedMessage message)
    {
        if (message.Header.Kind == MessageKind.Control)
            return; // such as a ping: a host without messages shows no traffic
        var isSent = message.Direction == MessageDirection.Sent;
        _peers.GetOrAdd(message.Peer.Id, static _ => new TrafficCount()).Add(isSent, message.Length);
        var type = message.Header.Type;
        if (!_types.TryGetValue(type, out var traffic))
        {
            if (!isSent && message.Header.Kind is MessageKind.Event or MessageKind.Request && _host.Contracts.Find(type) is null)
                type = UnknownTypes;
            if (_types.Count >= MaxTypes && type != UnknownTypes)
                return;
            traffic = _types.GetOrAdd(type, static _ => new TrafficCount());
        }

        traffic.Add(isSent, message.Length);
    }
}

/// <summary>Counts messages and their bytes in two directions. Thread-safe.</summary>
internal sealed class TrafficCount
{
    private long _received;
    private long _receivedBytes;
    private long _sent;
    private long _sentBytes;

    public long Received => Interlocked.Read(ref _received);

    public long ReceivedBytes => Interlocked.Read(ref _receivedBytes);

    public long Sent => Interlocked.Read(ref _sent);

    public long SentBytes => Interlocked.Read(ref _sentBytes);

    public void Add(bool isSent, int bytes)
    {
        Interlocked.Increment(ref isSent ? ref _sent : ref _received);
        Interlocked.Add(ref isSent ? ref _sentBytes : ref _receivedBytes, bytes);
    }
}

/// <summary>The counters of a host by name, for an inspection.</summary>
internal static class InspectedCounters
{
    /// <returns>The counters that are not 0.</returns>
    public static Dictionary<string, long> Read(MessageHost host)
    {
        var counters = new Dictionary<string, long>();
        foreach (var counter in Counters<HostCounter>.All)
        {
            if (counter is not (HostCounter.Peers or HostCounter.DroppedTraceContexts)) // an inspection lists the peers, and tools do not expect the contexts
                Add(counter.ToString(), host.Read(counter));
        }

        for (var status = DispatchStatus.Handled + 1; status <= DispatchStatus.HandlerIsAsync; status++) // Handled is not counted
            Add(status.ToString(), host.GetCount(status));
        return counters;

        void Add(string name, long count)
        {
            if (count != 0)
                counters[name] = count;
        }
    }
}
