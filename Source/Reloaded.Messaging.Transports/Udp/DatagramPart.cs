namespace Reloaded.Messaging;

/// <summary>The kind of content in the body of a datagram.</summary>
internal enum DatagramPart : byte
{
    /// <summary>Whole frames.</summary>
    Frames = 0,

    /// <summary>uint32 number · 01 if more segments follow, otherwise 00 · bytes. A segment of frames that arrive in order and are acknowledged.</summary>
    Segment = 1,

    /// <summary>uint32 number of the first missing segment · uint32, in which bit n is set if the segment with that number plus n has arrived.</summary>
    Acknowledgement = 2,

    /// <summary>uint32 number of the message · byte index · byte count · bytes. A fragment of one frame.</summary>
    Fragment = 3,

    /// <summary>Empty. The sender has the keys.</summary>
    Confirmation = 4,

    /// <summary>Empty. The sender closes the connection.</summary>
    Close = 5,

    /// <summary>byte: the stream · uint32 number of the datagram in the stream · whole frames. Dropped if a newer datagram of the stream has arrived.</summary>
    Sequenced = 6,

    /// <summary>As <see cref="Fragment"/>, of the body of one <see cref="Sequenced"/> part with one frame.</summary>
    SequencedFragment = 7,
}
