using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Packs the connection's own messages.</summary>
internal static class ControlMessage
{
    /// <summary>The writer of hellos and of lists of contracts. Its limit is the protocol's: the program's limits are for the program's messages.</summary>
    public static readonly MessageWriter Writer = new(new MessageLimits { MaxMessageSize = HelloMessage.MaxSize });

    /// <summary>Packs a control message.</summary>
    public static PackedMessage Pack(uint opcode, ReadOnlySpan<byte> payload) => Writer.PackRaw(new MessageHeader(opcode, MessageKind.Control), payload);
}
