using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints the messages of one direction of a TCP connection, if it begins as a connection of this library does.</summary>
internal sealed class TcpFlow(Dump dump, string name, bool isChosen)
{
    private readonly TcpDirection _direction = new();
    private readonly List<byte> _bytes = [];
    private bool _isRecognized = isChosen;
    private bool _isEnded;

    /// <summary>Whether bytes of an incomplete frame are left.</summary>
    public bool HasRest => _isRecognized && !_isEnded && _bytes.Count > 0;

    /// <summary>The number of segments that were not read, because a segment before them is missing in the capture.</summary>
    public int Unread => _isRecognized && !_isEnded ? _direction.Waiting : 0;

    public void Add(Segment segment, string time)
    {
        if (_isEnded || _direction.TryAdd(segment, payload => Read(payload.Span, time)))
            return;
        _isEnded = true;
        if (_isRecognized)
            dump.Fail($"{time}{name}: segments are missing in the capture");
    }

    private void Read(ReadOnlySpan<byte> payload, string time)
    {
        if (_isEnded)
            return;
        _bytes.AddRange(payload);
        if (!_isRecognized && !TryRecognize(time))
            return;
        var read = dump.PrintFrames($"{time}{name}: ", CollectionsMarshal.AsSpan(_bytes));
        _isEnded = read is null;
        _bytes.RemoveRange(0, read ?? _bytes.Count);
    }

    private bool TryRecognize(string time)
    {
        switch (StreamStart.Recognize(CollectionsMarshal.AsSpan(_bytes)))
        {
            case StreamKind.Incomplete:
                return false;
            case StreamKind.Frames:
                return _isRecognized = true;
            case StreamKind.Protected:
                dump.Note($"{time}{name}: encrypted by Protection; the tool cannot decode it");
                break;
            case StreamKind.Tls:
                dump.Note($"{time}{name}: encrypted by TLS; the tool cannot decode it");
                break;
            case StreamKind.Http:
                dump.Note($"{time}{name}: HTTP or a WebSocket; the tool does not decode it");
                break;
            default:
                break; // a connection of another program
        }

        _isEnded = true;
        return false;
    }
}

/// <summary>Puts the segments of one direction of a TCP connection in order, without repeated bytes.</summary>
internal sealed class TcpDirection
{
    private const int MaxWaiting = 256;

    private readonly List<(uint Sequence, ReadOnlyMemory<byte> Payload)> _waiting = [];
    private uint _next;
    private bool _isStarted;

    /// <summary>The number of segments behind a gap.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Adds a segment, and calls back for each run of bytes that is next.</summary>
    /// <returns><c>false</c> if a segment before this one is missing in the capture; otherwise, <c>true</c>.</returns>
    public bool TryAdd(Segment segment, Action<ReadOnlyMemory<byte>> received)
    {
        var sequence = segment.Sequence + (segment.IsStart ? 1u : 0);
        if (!_isStarted || segment.IsStart)
            (_isStarted, _next) = (true, sequence);
        if (segment.Payload.IsEmpty)
            return true;
        _waiting.Add((sequence, segment.Payload));
        for (var i = 0; i < _waiting.Count;)
        {
            var (start, payload) = _waiting[i];
            var known = (int)(_next - start);
            if (known < 0)
            {
                i++; // a segment before this one has not arrived
                continue;
            }

            _waiting.RemoveAt(i);
            i = 0;
            if (known >= payload.Length)
                continue;
            _next = start + (uint)payload.Length;
            received(payload.Slice(known));
        }

        return _waiting.Count <= MaxWaiting;
    }
}
