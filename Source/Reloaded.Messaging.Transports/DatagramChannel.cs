using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A channel that delivers frames differently depending on their <see cref="Delivery"/>: it may lose frames, and frames may overtake others.</summary>
public abstract class DatagramChannel : TransportChannel
{
    /// <summary>The largest frame that the channel carries with every delivery, in bytes, without the length prefix (default: <see cref="int.MaxValue"/>). The host reads it once.</summary>
    public virtual int MaxMessageSize => int.MaxValue;

    /// <summary>The largest frame with <see cref="DeliveryMode.ReliableOrdered"/> or <see cref="DeliveryMode.ReliableByType"/> that the channel carries (default: <see cref="MaxMessageSize"/>). The host reads it once.</summary>
    public virtual int MaxReliableMessageSize => MaxMessageSize;

    /// <summary>Advice appended to the exception when a message exceeds <see cref="MaxMessageSize"/>, in whole sentences.</summary>
    public virtual string MaxMessageSizeAdvice => "Send less at a time.";

    /// <summary>Whether a send of each order of <see cref="DeliveryMode.ReliableByType"/> may run beside the sends of other deliveries and orders (default: <see langword="false"/>). Otherwise, the host sends such frames as <see cref="Delivery.ReliableOrdered"/>.</summary>
    public virtual bool SendsStreamsConcurrently => false;

    /// <summary>The state of the network path; <see langword="null"/> if the channel does not measure it (the default).</summary>
    public virtual PathStatistics? Path => null;

    /// <summary>The number of received datagrams that were dropped because a newer datagram of their stream had arrived: <see cref="DeliveryMode.Sequenced"/> (default: 0).</summary>
    public virtual long OutdatedDatagrams => 0;

    /// <summary>Sends frames of one delivery. Completes when the channel has accepted all of them. Waits while the other side does not read.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="delivery">The delivery of all frames.</param>
    /// <param name="cancellationToken">Cancels the wait. The channel cannot be used afterwards.</param>
    /// <exception cref="TransportClosedException">Thrown when the other side has disconnected, or when this side aborted the channel.</exception>
    public abstract ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken);

    /// <summary>Sends frames with <see cref="Delivery.ReliableOrdered"/>.</summary>
    /// <inheritdoc/>
    public sealed override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => SendAsync(frames, Delivery.ReliableOrdered, cancellationToken);
}

/// <summary>The state of the network path of a <see cref="DatagramChannel"/>.</summary>
/// <param name="RoundTripTime">The smoothed round-trip time; zero before the first acknowledgement.</param>
/// <param name="Jitter">The mean deviation of the round-trip time.</param>
/// <param name="ReceivedLossShare">The share of the other side's recent datagrams that did not arrive (0–1); <see langword="null"/> before the first one.</param>
/// <param name="SentLossShare">The share of this side's recent datagrams that were lost (0–1); <see langword="null"/> before the first acknowledgement.</param>
/// <param name="CongestionWindow">The number of bytes that may be on the way without an acknowledgement.</param>
/// <param name="BytesInFlight">The number of bytes that are on the way.</param>
/// <param name="QueuedBytes">The number of bytes that wait for the window or for the receiver.</param>
public readonly record struct PathStatistics(TimeSpan RoundTripTime, TimeSpan Jitter, double? ReceivedLossShare, double? SentLossShare, int CongestionWindow, int BytesInFlight, int QueuedBytes);
