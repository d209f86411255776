using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The kind of a part of a datagram.</summary>
internal enum DatagramPart : byte
{
    /// <summary>Empty. Only asks for an acknowledgement. With protection, the first datagram of a client shows that it has the keys.</summary>
    Ping = 0,

    /// <summary>Empty. The sender closes the connection.</summary>
    Close = 1,

    /// <summary>uint64 newest number · uint32 delay in µs · uvarint count of the numbers down to the first missing one · then pairs: uvarint count of missing numbers, uvarint count of received numbers.</summary>
    Acknowledgement = 2,

    /// <summary>byte: the channel · uint64 offset · bytes. Bytes of frames that arrive in order. Sent again until they are acknowledged.</summary>
    Data = 3,

    /// <summary>byte: the channel · uint64 offset up to which the other side may send. Sent again until it is acknowledged.</summary>
    Room = 4,

    /// <summary>Whole frames.</summary>
    Frames = 5,

    /// <summary>byte: the stream · uint32 number in the stream · whole frames. Dropped if a newer number of the stream has arrived.</summary>
    Sequenced = 6,

    /// <summary>uint32 number of the message · byte index · byte count · bytes. A fragment of one frame.</summary>
    Fragment = 7,

    /// <summary>As <see cref="Fragment"/>, of the body of one <see cref="Sequenced"/> part with one frame.</summary>
    SequencedFragment = 8,

    /// <summary>8 bytes. The server asks whether the client receives at a new address.</summary>
    Challenge = 9,

    /// <summary>The 8 bytes of a challenge.</summary>
    Response = 10,
}
