using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>How LiteNetLib is used. Immutable.</summary>
/// <remarks>Both sides need the same <see cref="ConnectionKey"/> and <see cref="Channels"/>.</remarks>
public sealed class LiteNetOptions
{
    /// <summary>LiteNetLib's channels at most.</summary>
    public const int MaxChannels = 64;

    private FrozenDictionary<uint, LiteNetDelivery> _deliveries = FrozenDictionary<uint, LiteNetDelivery>.Empty;

    /// <summary>What LiteNetLib itself asks a client for, in clear text: it tells programs apart, and is no secret. Secrets are <see cref="MessageHostOptions.Protection"/>'s.</summary>
    public string ConnectionKey { get; init; } = "Reloaded.Messaging";

    /// <summary>How events travel that <see cref="Deliver{T}(DeliveryMethod, byte)"/> says nothing of. An event that is too large for one packet goes reliably and in order, since LiteNetLib divides no other. Requests, replies and all else go reliably, in order, on channel 0.</summary>
    public LiteNetDelivery Events { get; init; } = LiteNetDelivery.InOrder;

    /// <summary>LiteNetLib's channels, 1 to 64, by default 1.</summary>
    public int Channels
    {
        get;
        init => field = value is >= 1 and <= MaxChannels ? value : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is out of range: LiteNetLib has 1 to {MaxChannels} channels.");
    } = 1;

    /// <summary>Whether messages are received, and handled, where <see cref="LiteNetTransport.Poll"/> is called, and not on LiteNetLib's thread.</summary>
    public bool IsPolled { get; init; }

    /// <summary>The packets that wait to be sent to one peer at most, by default 1024: past that its messages wait in the host, under the host's own limit. LiteNetLib has none.</summary>
    public int MaxQueuedPackets
    {
        get;
        init => field = value >= 1 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is out of range: at least one packet has to wait.");
    } = 1024;

    /// <summary>The bytes from one peer that wait to be handled at most, by default 4 MiB, counted by the memory that their packets hold: some 2400 packets. Past that unreliable packets are dropped and counted, and a peer that sends reliable ones is disconnected.</summary>
    public int MaxReceivedBytes
    {
        get;
        init => field = value >= 1 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is out of range: at least one byte has to be received.");
    } = 4 * 1024 * 1024;

    /// <summary>Whether the other side is a program built on Reloaded.Messaging 2.0: one message a packet, types 0 to 127, no handshake, no requests. On this machine alone.</summary>
    /// <remarks>
    /// Its <see cref="ConnectionKey"/> is that program's password. A type that has a compressor there is always compressed there: give its contract a
    /// <see cref="CompressionOptions"/> with a threshold of 0 and <see cref="CompressionOptions.EvenIfLarger"/>.
    /// </remarks>
    public bool CompatibilityMode { get; init; }

    /// <summary>Sets anything else of LiteNetLib's, before it starts: timeouts, MTU discovery, native sockets. Null for nothing.</summary>
    public Action<NetManager>? Configure { get; init; }

    /// <summary>These options, and how events of one type travel.</summary>
    /// <typeparam name="T">A message with a declared contract.</typeparam>
    /// <param name="method">The delivery method.</param>
    /// <param name="channel">The channel, below <see cref="Channels"/>.</param>
    public LiteNetOptions Deliver<T>(DeliveryMethod method, byte channel = 0) => Deliver(MessageContract.GetDeclared<T>(), method, channel);

    /// <summary>These options, and how events of one contract travel.</summary>
    /// <param name="contract">The contract.</param>
    /// <param name="method">The delivery method.</param>
    /// <param name="channel">The channel, below <see cref="Channels"/>.</param>
    public LiteNetOptions Deliver(MessageContract contract, DeliveryMethod method, byte channel = 0)
    {
        ArgumentNullException.ThrowIfNull(contract);
        var copy = (LiteNetOptions)MemberwiseClone();
        copy._deliveries = new Dictionary<uint, LiteNetDelivery>(_deliveries) { [contract.Type] = new(method, channel) }.ToFrozenDictionary();
        return copy;
    }

    /// <summary>How an event travels.</summary>
    internal LiteNetDelivery DeliveryOf(uint type) => _deliveries.TryGetValue(type, out var delivery) ? delivery : Events;

    /// <summary>Refuses what could not work.</summary>
    internal void Check(TransportContext context)
    {
        if (CompatibilityMode && (context.Protection is not null || !context.Token.IsEmpty))
            throw new InvalidOperationException("Programs built on Reloaded.Messaging 2.0 know neither tokens nor encryption. Leave MessageHostOptions.Token and MessageHostOptions.Protection out.");
        foreach (var delivery in (LiteNetDelivery[])[Events, .. _deliveries.Values])
        {
            if (delivery.Channel >= Channels)
                throw new InvalidOperationException($"Channel {delivery.Channel} is out of range: LiteNetOptions.Channels is {Channels}. Raise it on both sides.");
            if (context.Protection is not null && delivery != LiteNetDelivery.InOrder)
            {
                throw new InvalidOperationException(
                    $"{delivery.Method} on channel {delivery.Channel} does not keep the one order that MessageHostOptions.Protection encrypts in. Deliver everything {nameof(LiteNetDelivery.InOrder)}, or use MessageEndpoint.Udp, which encrypts each datagram by itself.");
            }
        }
    }
}
