using System;
using System.Buffers.Binary;
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
/// plain    06 · connection · number, uint64 · parts
/// sealed   07 · connection · lowest byte of the epoch · number, uint64 · sealed (parts) · tag, 16 bytes
/// </code>
/// Numbers are little-endian. A part is one byte <see cref="DatagramPart"/>, the size of its body as uint16, and the body.
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
    public const int IdHeader = 1 + IdSize;
    public const int PlainHeader = IdHeader + sizeof(ulong);
    public const int SealedHeader = IdHeader + 1 + sizeof(ulong);
    public const int PartHeader = 1 + sizeof(ushort);
    public const int DataHeader = 1 + sizeof(ulong);
    public const int RoomSize = 1 + sizeof(ulong);
    public const int ChallengeSize = sizeof(ulong);

    /// <summary>A reason for a refusal: the two sides use different protections or different secrets.</summary>
    public const byte WrongProtection = 15;

    /// <summary>A reason for a refusal: the address of the client is locked out.</summary>
    public const byte LockedOut = 22;

    public static ReadOnlySpan<byte> Magic => [Hello, (byte)'R', (byte)'M', (byte)'U', 1];
}

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

/// <summary>Writes the parts of a datagram.</summary>
internal ref struct DatagramWriter(Span<byte> body)
{
    private readonly Span<byte> _body = body;

    /// <summary>The bytes that were written.</summary>
    public int Length { get; private set; }

    /// <summary>The size of the largest body that a further part may have; negative if there is no room for its header.</summary>
    public readonly int Room => _body.Length - Length - DatagramFormat.PartHeader;

    /// <summary>Begins a part with a body that fits <see cref="Room"/>.</summary>
    /// <returns>The memory of the body, which the caller fills.</returns>
    public Span<byte> Add(DatagramPart part, int size)
    {
        _body[Length] = (byte)part;
        BinaryPrimitives.WriteUInt16LittleEndian(_body.Slice(Length + 1), (ushort)size);
        var content = _body.Slice(Length + DatagramFormat.PartHeader, size);
        Length += DatagramFormat.PartHeader + size;
        return content;
    }

    /// <summary>The memory of the next body, of the size <see cref="Room"/>, for a body whose size is not known yet. <see cref="Add"/> with its size follows.</summary>
    public readonly Span<byte> Peek() => _body.Slice(Length + DatagramFormat.PartHeader);
}

/// <summary>Reads the parts of a datagram.</summary>
internal static class DatagramReader
{
    /// <summary>Reads the next part.</summary>
    /// <param name="body">The rest of the datagram. Advanced past the part.</param>
    /// <param name="part">Receives the kind.</param>
    /// <param name="content">Receives the body of the part.</param>
    /// <returns><see langword="false"/> if the part is cut short or its kind is unknown.</returns>
    public static bool TryRead(ref ReadOnlySpan<byte> body, out DatagramPart part, out ReadOnlySpan<byte> content)
    {
        part = default;
        content = default;
        if (body.Length < DatagramFormat.PartHeader || body[0] > (byte)DatagramPart.Response)
            return false;
        part = (DatagramPart)body[0];
        var size = BinaryPrimitives.ReadUInt16LittleEndian(body.Slice(1));
        if (body.Length - DatagramFormat.PartHeader < size)
            return false;
        content = body.Slice(DatagramFormat.PartHeader, size);
        body = body.Slice(DatagramFormat.PartHeader + size);
        return true;
    }

    /// <summary>Checks the kinds and sizes of all parts.</summary>
    /// <param name="body">The datagram without its header.</param>
    /// <param name="isEliciting">Receives whether the datagram must be acknowledged: whether it contains more than acknowledgements and a close.</param>
    public static bool AreParts(ReadOnlySpan<byte> body, out bool isEliciting)
    {
        isEliciting = false;
        if (body.IsEmpty)
            return false;
        while (!body.IsEmpty)
        {
            if (!TryRead(ref body, out var part, out _))
                return false;
            isEliciting |= part is not (DatagramPart.Acknowledgement or DatagramPart.Close);
        }

        return true;
    }
}

/// <summary>Splits a sequence of whole frames by the size of a datagram.</summary>
internal static class DatagramPacker
{
    /// <summary>Returns the size of the frames for the next datagram: as many frames as fit, or one frame that is too large to fit.</summary>
    /// <param name="frames">Whole frames; not empty.</param>
    /// <param name="room">The number of bytes available in a datagram.</param>
    public static int Cut(ReadOnlySpan<byte> frames, int room)
    {
        var rest = frames;
        var taken = ReadOne(ref rest);
        while (taken <= room && !rest.IsEmpty)
        {
            var size = ReadOne(ref rest);
            if (taken + size > room)
                break;
            taken += size;
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
