using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Packs the connection's own messages.</summary>
internal static class ControlMessage
{
    /// <summary>The writer of hellos and of lists of contracts. Its limit is the protocol's: the program's limits are for the program's messages.</summary>
    public static readonly MessageWriter Writer = new(new MessageLimits { MaxMessageSize = HelloMessage.MaxSize });

    /// <summary>Returns how a control message has to be delivered: a connection begins and ends with hellos and goodbyes.</summary>
    public static Delivery DeliveryOf(uint opcode) => opcode is ControlCode.Hello or ControlCode.Goodbye ? Delivery.Reliable : Delivery.Unreliable;

    /// <summary>Packs a control message.</summary>
    public static PackedMessage Pack(uint opcode, ReadOnlySpan<byte> payload) => Writer.PackRaw(new MessageHeader(opcode, MessageKind.Control), payload);
}
