namespace Reloaded.Messaging.Wire;

/// <summary>The purpose of a message: bits 0 to 2 of the second byte of an extended header.</summary>
/// <remarks>A short header is always an <see cref="Event"/>. The values 5 to 7 are reserved and malformed.</remarks>
public enum MessageKind : byte
{
    /// <summary>A message without a reply.</summary>
    Event = 0,

    /// <summary>A message that expects a <see cref="Reply"/> or a <see cref="Fault"/> with the same correlation id.</summary>
    Request = 1,

    /// <summary>The reply to a request. The type is that of the reply.</summary>
    Reply = 2,

    /// <summary>The refusal of a request. The type is that of the request; the payload is a uvarint code and UTF-8 text.</summary>
    Fault = 3,

    /// <summary>A message of the connection itself. The type is an opcode (hello, ping, pong, goodbye, cancel).</summary>
    Control = 4,
}
