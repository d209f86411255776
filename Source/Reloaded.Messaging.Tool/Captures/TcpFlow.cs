using System;
using System.Collections.Generic;
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
