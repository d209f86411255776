using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Packs the control messages of a connection.</summary>
internal static class ControlMessage
{
    /// <summary>The writer of hellos and of lists of contracts. It uses the limit of the protocol, because the limits of the options apply to messages of the program.</summary>
    public static readonly MessageWriter Writer = new(new MessageLimits { MaxMessageSize = HelloMessage.MaxSize });

    /// <summary>Packs a control message.</summary>
    public static PackedMessage Pack(uint opcode, ReadOnlySpan<byte> payload) => Writer.PackRaw(new MessageHeader(opcode, MessageKind.Control), payload);
}
