namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Bulk data, requests and snapshots over an emulated path, and what became of them, in steps of 100 ms.</summary>
internal sealed class PathTraffic
{
    private const int Bulk = 1000;
    private const int Small = 200;
    private const int HeaderSize = 2;
    private static readonly TimeSpan s_snapshotInterval = TimeSpan.FromSeconds(1 / 60.0);
    private static readonly TimeSpan s_requestInterval = TimeSpan.FromMilliseconds(200);

    private readonly EmulatedPath _path;
    private readonly DatagramConnection _client;
    private readonly DatagramConnection _server;
    private readonly byte[] _bulk = new byte[HeaderSize + Bulk];
    private readonly byte[] _small = new byte[HeaderSize + Small];
    private readonly FrameReader _atServer;
    private readonly FrameReader _atClient;
    private readonly int _mostUnconfirmed;
    private readonly bool _isInteractive;
    private TimeSpan _nextSnapshot;
    private TimeSpan _nextRequest;

    /// <param name="path">The path.</param>
    /// <param name="pair">The connections.</param>
    /// <param name="isInteractive">Whether requests and snapshots are sent beside the bulk data.</param>
    /// <param name="mostUnconfirmed">The number of frames after which the program waits for confirmations.</param>
    public PathTraffic(EmulatedPath path, (DatagramConnection Client, DatagramConnection Server) pair, bool isInteractive, int mostUnconfirmed = int.MaxValue)
    {
        (_path, _client, _server, _isInteractive, _mostUnconfirmed) = (path, pair.Client, pair.Server, isInteractive, mostUnconfirmed);
        _bulk[2] = (byte)Kind.Bulk;
        _atServer = new FrameReader(_server, Take);
        _atClient = new FrameReader(_client, Take);
        _nextRequest = _nextSnapshot = path.Now;
    }

    private enum Kind : byte
    {
        Bulk,
        Request,
        Reply,
        Snapshot,
    }

    /// <summary>The bytes of bulk data that have arrived.</summary>
    public long Received { get; private set; }

    /// <summary>The snapshots that have arrived.</summary>
    public int Snapshots { get; private set; }

    /// <summary>The times at which requests were sent, and their waits.</summary>
    public List<(TimeSpan SentAt, TimeSpan Wait)> Waits { get; } = [];

    /// <summary>The times at which bulk data arrived after a pause, and the pauses of 10 ms or more.</summary>
    public List<(TimeSpan At, TimeSpan Pause)> Pauses { get; } = [];

    private TimeSpan LastReceived { get; set; }

    /// <summary>Sends what is due, and reads what has arrived.</summary>
    public void Act()
    {
        while (_client.WantsMore() && _client.UnconfirmedFrames < _mostUnconfirmed)
        {
            WriteHeader(_bulk, Kind.Bulk, _path.Ticks);
            _client.AppendFrames(_bulk);
        }

        if (_isInteractive)
        {
            for (; _path.Now >= _nextSnapshot; _nextSnapshot += s_snapshotInterval)
            {
                WriteHeader(_small, Kind.Snapshot, _path.Ticks);
                _client.AddFrames(_small, stream: -1);
            }

            for (; _path.Now >= _nextRequest; _nextRequest += s_requestInterval)
            {
                WriteHeader(_small, Kind.Request, _path.Ticks);
                _client.AppendFrames(_small, channel: 1);
            }
        }

        _atServer.Read();
        _atClient.Read();
    }

    /// <summary>The time at which <see cref="Act"/> is due.</summary>
    public TimeSpan NextAct => _isInteractive ? _nextSnapshot : TimeSpan.MaxValue;

    private static void WriteHeader(byte[] frame, Kind kind, long stamp)
    {
        var size = frame.Length - HeaderSize;
        (frame[0], frame[1], frame[2]) = ((byte)(size | 0x80), (byte)(size >> 7), (byte)kind);
        BitConverter.TryWriteBytes(frame.AsSpan(3), stamp);
    }

    private void Take(ReadOnlySpan<byte> frame)
    {
        var stamp = BitConverter.ToInt64(frame.Slice(1));
        switch ((Kind)frame[0])
        {
            case Kind.Bulk:
                Received += frame.Length;
                if (_path.Now - LastReceived > TimeSpan.FromMilliseconds(10))
                    Pauses.Add((_path.Now, _path.Now - LastReceived));
                LastReceived = _path.Now;
                break;
            case Kind.Snapshot:
                Snapshots++;
                break;
            case Kind.Request:
                WriteHeader(_small, Kind.Reply, stamp);
                _server.AppendFrames(_small, channel: 1);
                break;
            case Kind.Reply:
                Waits.Add((TimeSpan.FromTicks(stamp), TimeSpan.FromTicks(_path.Ticks - stamp)));
                break;
        }
    }

    private delegate void FrameAction(ReadOnlySpan<byte> frame);

    private sealed class FrameReader(DatagramConnection connection, FrameAction take)
    {
        private readonly byte[] _buffer = new byte[64 * 1024];
        private int _held;

        public void Read()
        {
            while (connection.Read(_buffer.AsSpan(_held)) is > 0 and var read)
            {
                _held += read;
                var at = 0;
                while (_held - at >= HeaderSize && ((_buffer[at] & 0x7F) | _buffer[at + 1] << 7) is var size && _held - at - HeaderSize >= size)
                {
                    take(_buffer.AsSpan(at + HeaderSize, size));
                    at += HeaderSize + size;
                }

                _held -= at;
                _buffer.AsSpan(at, _held).CopyTo(_buffer);
            }
        }
    }
}
