using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The format of datagrams.</summary>
/// <remarks>
/// <code>
/// hello    01 "RMU" 01 · 16 random bytes · zeros up to 64 bytes       to the server, which answers without storing state
/// cookie   02 · the random · 17 bytes                                 smaller than the hello
/// connect  03 · the random · the cookie · [offer of keys]             opens the connection
/// accept   04 · the random · connection, 8 bytes · [answer]
/// refuse   05 · the random · [reason, unless it is the protection]    from the server; not authenticated, see UdpHandshake
/// refuse   05 · connection · reason                                   from the client
/// plain    06 · connection · part · body
/// sealed   07 · connection · lowest byte of the epoch · number, uint64 · sealed (part · body) · tag, 16 bytes
/// </code>
/// Numbers are little-endian. <see cref="DatagramPart"/> lists the parts.
/// </remarks>
internal static class DatagramFormat
{
    public const byte Hello = 1;
    public const byte Cookie = 2;
    public const byte Connect = 3;
    public const byte Accept = 4;
    public const byte Refuse = 5;
    public const byte Plain = 6;
    public const byte Sealed = 7;

    public const int HelloSize = 64;
    public const int RandomSize = 16;
    public const int IdSize = 8;
    public const int ConnectSize = 1 + RandomSize + AddressValidator.Size;
    public const int AcceptHeader = 1 + RandomSize + IdSize;
    public const int RefuseSize = 1 + RandomSize;
    public const int PlainHeader = 1 + IdSize;
    public const int SealedHeader = PlainHeader + 1 + sizeof(ulong);

    /// <summary>A reason for a refusal: the two sides use different protections or different secrets.</summary>
    public const byte WrongProtection = 15;

    /// <summary>A reason for a refusal: the address of the client is locked out.</summary>
    public const byte LockedOut = 22;

    public static ReadOnlySpan<byte> Magic => [Hello, (byte)'R', (byte)'M', (byte)'U', 1];
}

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

/// <summary>Splits a sequence of whole frames by the size of a datagram.</summary>
internal static class DatagramPacker
{
    /// <summary>Returns the size of the frames for the next datagram: as many frames as fit, or one frame that is too large to fit.</summary>
    /// <param name="frames">Whole frames; not empty.</param>
    /// <param name="room">The number of bytes available in a datagram.</param>
    /// <param name="count">Receives the number of the frames.</param>
    public static int Cut(ReadOnlySpan<byte> frames, int room, out int count)
    {
        var rest = frames;
        var taken = ReadOne(ref rest);
        count = 1;
        while (taken <= room && !rest.IsEmpty)
        {
            var size = ReadOne(ref rest);
            if (taken + size > room)
                break;
            taken += size;
            count++;
        }

        return taken;
    }

    private static int ReadOne(ref ReadOnlySpan<byte> rest)
    {
        var before = rest.Length;
        if (Frame.TryRead(ref rest, int.MaxValue, out _) != FrameStatus.Ok)
            throw new ArgumentException("The bytes to send are not whole frames. Pass complete frames with their length prefixes.", nameof(rest));
        return before - rest.Length;
    }
}
