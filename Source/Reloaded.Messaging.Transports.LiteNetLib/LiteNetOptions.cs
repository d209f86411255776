using System.Collections.Frozen;
using LiteNetLib;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The options of LiteNetLib. Immutable.</summary>
/// <remarks>Both sides need the same <see cref="ConnectionKey"/> and <see cref="Channels"/>; otherwise, the server refuses the connection.</remarks>
public sealed class LiteNetOptions
{
    /// <summary>The maximum number of channels in LiteNetLib.</summary>
    public const int MaxChannels = 64;

    private FrozenDictionary<uint, LiteNetDelivery> _deliveries = FrozenDictionary<uint, LiteNetDelivery>.Empty;

    /// <summary>The key that LiteNetLib requires from a client, sent in clear text. It distinguishes programs and is not a secret. For secrets, use <see cref="MessageHostOptions.Protection"/> (default: <c>Reloaded.Messaging</c>).</summary>
    public string ConnectionKey { get; init; } = "Reloaded.Messaging";

    /// <summary>The number of LiteNetLib's channels (1–64; default: 1).</summary>
    public int Channels
    {
        get;
        init => field = value is >= 1 and <= MaxChannels ? value : throw new ArgumentOutOfRangeException(nameof(value), value, $"The number of channels is {value}; it must be in the range 1 to {MaxChannels}.");
    } = 1;

    /// <summary>Whether messages are received and handled in <see cref="LiteNetTransport.Poll"/> instead of on LiteNetLib's thread.</summary>
    public bool IsPolled { get; init; }

    /// <summary>The maximum number of packets that wait to be sent to one peer. LiteNetLib has no limit. 16 of its windows (64 packets) keep it busy; further messages wait in the host, under <see cref="HostLimits.MaxPendingBytes"/>.</summary>
    internal int MaxQueuedPackets { get; init; } = 1024;

    /// <summary>The maximum number of bytes from one peer that wait to be handled: about 2400 packets, whose memory counts. LiteNetLib acknowledges a packet before it is handled, so only this limit bounds what a fast sender leaves here.</summary>
    internal int MaxReceivedBytes { get; init; } = 4 * 1024 * 1024;

    /// <summary>Changes further settings of LiteNetLib before it starts, for example timeouts, MTU discovery or native sockets; <c>null</c> for no change.</summary>
    public Action<NetManager>? Configure { get; init; }

    /// <summary>Returns a copy of these options with the delivery of events of one type.</summary>
    /// <remarks>
    /// An event that is too large for one packet is sent reliably and in order, because LiteNetLib divides only such packets. Events of other types, requests,
    /// replies and all other messages are sent <see cref="LiteNetDelivery.InOrder"/>.
    /// </remarks>
    /// <typeparam name="T">A message with a declared contract.</typeparam>
    /// <param name="delivery">The delivery, with a channel below <see cref="Channels"/>.</param>
    public LiteNetOptions Deliver<T>(LiteNetDelivery delivery) => Deliver(MessageContract.GetDeclared<T>(), delivery);

    /// <summary>Returns a copy of these options with the delivery of events of one contract.</summary>
    /// <param name="contract">The contract.</param>
    /// <param name="delivery">The delivery, with a channel below <see cref="Channels"/>.</param>
    public LiteNetOptions Deliver(MessageContract contract, LiteNetDelivery delivery)
    {
        ArgumentNullException.ThrowIfNull(contract);
        var copy = (LiteNetOptions)MemberwiseClone();
        copy._deliveries = new Dictionary<uint, LiteNetDelivery>(_deliveries) { [contract.Type] = delivery }.ToFrozenDictionary();
        return copy;
    }

    /// <summary>Returns the delivery of an event.</summary>
    internal LiteNetDelivery DeliveryOf(uint type) => _deliveries.TryGetValue(type, out var delivery) ? delivery : LiteNetDelivery.InOrder;

    /// <summary>Throws for combinations of options that cannot work.</summary>
    internal void Check(TransportContext context)
    {
        foreach (var delivery in _deliveries.Values)
        {
            if (delivery.Channel >= Channels)
                throw new InvalidOperationException($"The channel is {delivery.Channel}; it must be less than LiteNetOptions.Channels, which is {Channels}. Raise LiteNetOptions.Channels on the two sides.");
            if (context.Protection is not null && delivery != LiteNetDelivery.InOrder)
            {
                throw new InvalidOperationException(
                    $"{delivery.Method} on channel {delivery.Channel} does not keep the order that the encryption of MessageHostOptions.Protection requires. Deliver everything {nameof(LiteNetDelivery.InOrder)}, or use MessageEndpoint.Udp, which encrypts each datagram separately.");
            }
        }
    }
}
