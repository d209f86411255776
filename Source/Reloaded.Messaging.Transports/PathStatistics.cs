namespace Reloaded.Messaging;

/// <summary>The state of the network path of a <see cref="DatagramChannel"/>.</summary>
public readonly struct PathStatistics
{
    /// <summary>Creates a value.</summary>
    /// <param name="roundTripTime">The smoothed round-trip time; zero before the first acknowledgement.</param>
    /// <param name="jitter">The mean deviation of the round-trip time.</param>
    /// <param name="receivedLossShare">The share of the other side's recent datagrams that did not arrive (0–1); <see langword="null"/> before the first one.</param>
    /// <param name="sentLossShare">The share of this side's recent datagrams that were lost (0–1); <see langword="null"/> before the first acknowledgement.</param>
    /// <param name="congestionWindow">The number of bytes that may be on the way without an acknowledgement.</param>
    /// <param name="bytesInFlight">The number of bytes that are on the way.</param>
    /// <param name="queuedBytes">The number of bytes that wait for the window or for the receiver.</param>
    public PathStatistics(TimeSpan roundTripTime, TimeSpan jitter, double? receivedLossShare, double? sentLossShare, int congestionWindow, int bytesInFlight, int queuedBytes) =>
        (RoundTripTime, Jitter, ReceivedLossShare, SentLossShare, CongestionWindow, BytesInFlight, QueuedBytes) = (roundTripTime, jitter, receivedLossShare, sentLossShare, congestionWindow, bytesInFlight, queuedBytes);

    /// <summary>The smoothed round-trip time; zero before the first acknowledgement.</summary>
    public TimeSpan RoundTripTime { get; }

    /// <summary>The mean deviation of the round-trip time.</summary>
    public TimeSpan Jitter { get; }

    /// <summary>The share of the other side's recent datagrams that did not arrive (0–1); <see langword="null"/> before the first one.</summary>
    public double? ReceivedLossShare { get; }

    /// <summary>The share of this side's recent datagrams that were lost (0–1); <see langword="null"/> before the first acknowledgement.</summary>
    public double? SentLossShare { get; }

    /// <summary>The number of bytes that may be on the way without an acknowledgement.</summary>
    public int CongestionWindow { get; }

    /// <summary>The number of bytes that are on the way.</summary>
    public int BytesInFlight { get; }

    /// <summary>The number of bytes that wait for the window or for the receiver.</summary>
    public int QueuedBytes { get; }

    /// <summary>The values of all properties, for log messages.</summary>
    public override string ToString() => FormattableString.Invariant(
        $"round trip {RoundTripTime}, jitter {Jitter}, losses {ReceivedLossShare} in and {SentLossShare} out, window {CongestionWindow}, in flight {BytesInFlight}, queued {QueuedBytes}");
}
