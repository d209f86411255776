namespace Reloaded.Messaging.Hosting;

/// <summary>The statistics of the connection to a peer, at the time of the call.</summary>
public readonly struct PeerStatistics
{
    internal PeerStatistics(TimeSpan silence, TimeSpan roundTripTime, long bytesSent, long bytesReceived, int pendingBytes, long outdatedDatagrams, PathStatistics? path) =>
        (Silence, RoundTripTime, BytesSent, BytesReceived, PendingBytes, OutdatedDatagrams, Path) = (silence, roundTripTime, bytesSent, bytesReceived, pendingBytes, outdatedDatagrams, path);

    /// <summary>The time since the last bytes arrived from the peer. A connected peer replies to a ping about every 2 s, or more often with a short <see cref="MessageHostOptions.KeepAliveTimeout"/>. A longer time means a bad connection. Precise to about 15 ms.</summary>
    public TimeSpan Silence { get; }

    /// <summary>The round-trip time of the last ping, or the age of the oldest ping without a reply if that is longer; zero before the first reply.</summary>
    public TimeSpan RoundTripTime { get; }

    /// <summary>The number of bytes that the transport has accepted: messages with their length prefixes, before encryption and without headers of the transport.</summary>
    public long BytesSent { get; }

    /// <summary>The number of bytes that have arrived, measured in the same way.</summary>
    public long BytesReceived { get; }

    /// <summary>The number of bytes that wait to be sent.</summary>
    public int PendingBytes { get; }

    /// <summary>The number of datagrams from the peer that were dropped because a newer one of their sequenced type had arrived: <see cref="DeliveryMode.Sequenced"/>. Each may contain several messages. 0 over a transport that delivers everything in order.</summary>
    public long OutdatedDatagrams { get; }

    /// <summary>Over UDP, the state of the network path: round trip, jitter, losses in both directions, window and queue; otherwise, <see langword="null"/>.</summary>
    public PathStatistics? Path { get; }

    /// <summary>The values of all properties, for log messages.</summary>
    public override string ToString() => FormattableString.Invariant(
        $"silent for {Silence}, round trip {RoundTripTime}, bytes: {BytesSent} sent, {BytesReceived} received, {PendingBytes} pending; outdated datagrams: {OutdatedDatagrams}; path: {Path}");
}
