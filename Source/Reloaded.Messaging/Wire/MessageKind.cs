namespace Reloaded.Messaging.Wire;

/// <summary>What a message is for: bits 0 to 2 of the second byte of an extended header.</summary>
/// <remarks>A short header is always an <see cref="Event"/>. The values 5 to 7 are reserved and malformed.</remarks>
public enum MessageKind : byte
{
    /// <summary>Sent without expecting an answer.</summary>
    Event = 0,

    /// <summary>Expects a <see cref="Reply"/> or a <see cref="Fault"/> with the same correlation id.</summary>
    Request = 1,

    /// <summary>Answers a request; the type is the reply's own.</summary>
    Reply = 2,

    /// <summary>Refuses a request; the type is the request's, the payload a uvarint code and UTF-8 text.</summary>
    Fault = 3,

    /// <summary>Belongs to the connection; the type is an opcode (hello, ping, pong, goodbye, cancel).</summary>
    Control = 4,
}
