using System.Globalization;
using System.Net;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints the messages of a capture in the order of its packets.</summary>
/// <param name="dump">Prints the messages.</param>
/// <param name="port">The port whose connections are decoded although their start is not in the capture; 0 for no port.</param>
internal sealed class CaptureDump(Dump dump, int port)
{
    private readonly Dictionary<string, TcpFlow> _streams = [];
    private readonly Dictionary<string, UdpFlow> _datagrams = [];
    private double? _start;

    /// <exception cref="ToolException">Thrown when the capture is malformed. The messages before are printed.</exception>
    public void Print(IEnumerable<Packet> packets)
    {
        var unknown = new SortedDictionary<uint, int>(); // the number of packets by their link types
        foreach (var packet in packets)
        {
            if (Segment.FindStart(packet) is null)
                unknown[packet.LinkType] = unknown.GetValueOrDefault(packet.LinkType) + 1;
            _start ??= packet.Time;
            if (Segment.TryRead(packet) is { } segment)
                Add(segment, string.Create(CultureInfo.InvariantCulture, $"{packet.Time - _start.Value:F6} "));
        }

        foreach (var (type, count) in unknown)
            dump.Fail(FormattableString.Invariant($"{ToolConsole.Count(count, "packet")} of the link type {type} {(count == 1 ? "was" : "were")} not decoded. Capture Ethernet, IP, a loopback device or the device 'any' of Linux"));
        foreach (var (name, flow) in _streams)
        {
            if (flow.Unread > 0)
                dump.Fail(FormattableString.Invariant($"{name}: a segment is missing in the capture, so {ToolConsole.Count(flow.Unread, "segment")} after it {(flow.Unread == 1 ? "was" : "were")} not decoded. Capture without loss, or with a larger buffer"));
            else if (flow.HasRest)
                dump.Note($"{name}: the capture ends inside a frame");
        }
    }

    private void Add(Segment segment, string time)
    {
        var isChosen = port != 0 && (segment.Source.Port == port || segment.Destination.Port == port);
        var name = $"{segment.Source} > {segment.Destination}";
        if (segment.IsTcp)
        {
            if (!_streams.TryGetValue(name, out var stream) || segment.IsStart)
                _streams[name] = stream = new TcpFlow(dump, name, isChosen);
            stream.Add(segment, time);
            return;
        }

        var key = GetKey(segment.Source, segment.Destination);
        if (!_datagrams.TryGetValue(key, out var flow))
            _datagrams[key] = flow = new UdpFlow(dump, isChosen);
        flow.Add(segment.Payload.Span, name, $"{time}{name}: ");
    }

    /// <summary>Returns the same key for both directions.</summary>
    private static string GetKey(IPEndPoint source, IPEndPoint destination)
    {
        var (left, right) = (source.ToString(), destination.ToString());
        return string.CompareOrdinal(left, right) < 0 ? $"{left} {right}" : $"{right} {left}";
    }
}
