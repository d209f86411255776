using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Wire;

/// <summary>The header before a payload: the type and the kind of the message, and the data that is needed to unpack it.</summary>
/// <remarks>
/// Short form, for events of type 0 to 126: one byte. If the payload is compressed, bit 7 is set and an int32 size follows.
/// <c>03</c> is type 3; <c>83 E8 03 00 00</c> is type 3, compressed, 1000 bytes when decompressed.
/// Extended form, for everything else: <c>7F</c> or <c>FF</c>, the kind, then uvarints.
/// <c>7F 01 03 2A</c> is a request of type 3 with correlation id 42. The whole format is in <c>docs/specification/wire-format.md</c>.
/// </remarks>
public readonly record struct MessageHeader
{
    /// <summary>The largest type that has a short form.</summary>
    public const uint MaxShortType = 126;

    /// <summary>The longest header, in bytes: marker, kind, type, correlation id and size.</summary>
    public const int MaxSize = 2 + 3 * UVarint.MaxSize;

    internal const int ShortCompressedSize = 1 + sizeof(int);
    internal const byte CompressedFlag = 0x80;
    internal const byte ExtendedMarker = 127;

    // The size and its presence share one field, because the compiler keeps structs of up to four fields in registers.
    private readonly uint _sizePlusOne;

    /// <summary>Creates a header.</summary>
    /// <param name="type">The type of the message; for <see cref="MessageKind.Control"/>, the opcode.</param>
    /// <param name="kind">The kind of the message.</param>
    /// <param name="correlationId">The id that pairs a request with its reply or fault; 0 for events and control messages, which have no id.</param>
    public MessageHeader(uint type, MessageKind kind = MessageKind.Event, uint correlationId = 0)
    {
        if (kind > MessageKind.Control)
            Throw.ArgumentOutOfRange(nameof(kind), kind, "a message kind is 0 (event) to 4 (control)");
        if (correlationId != 0 && !HasCorrelation(kind))
            Throw.ArgumentOutOfRange(nameof(correlationId), correlationId, $"a message of kind {kind} carries no correlation id");

        Type = type;
        Kind = kind;
        CorrelationId = correlationId;
    }

    private MessageHeader(in MessageHeader header, uint sizePlusOne)
    {
        this = header;
        _sizePlusOne = sizePlusOne;
    }

    /// <summary>The type of the message: the id of its contract.</summary>
    public uint Type { get; }

    /// <summary>The kind of the message.</summary>
    public MessageKind Kind { get; }

    /// <summary>The id that pairs a request with its reply or fault; 0 for other kinds.</summary>
    public uint CorrelationId { get; }

    /// <summary>Whether the payload is compressed.</summary>
    public bool IsCompressed => _sizePlusOne != 0;

    /// <summary>The size of the payload after decompression, in bytes, as declared by the sender and not yet verified; 0 if the payload is not compressed.</summary>
    public int DecompressedSize => _sizePlusOne == 0 ? 0 : (int)(_sizePlusOne - 1);

    /// <summary>Whether the header is encoded in the short form.</summary>
    public bool IsShort => Kind == MessageKind.Event && Type <= MaxShortType;

    /// <summary>The number of bytes that <see cref="Write"/> writes (1–<see cref="MaxSize"/>).</summary>
    public int Size
    {
        get
        {
            if (IsShort)
                return 1 + SizeOfSize;

            var size = 2 + UVarint.SizeOf(Type) + SizeOfSize;
            return HasCorrelation(Kind) ? size + UVarint.SizeOf(CorrelationId) : size;
        }
    }

    /// <summary>The number of header bytes that compression of the payload adds.</summary>
    internal int SizeOfSize => !IsCompressed ? 0 : IsShort ? sizeof(int) : UVarint.SizeOf((uint)DecompressedSize);

    /// <summary>The number of header bytes that compression of the payload would add to this header.</summary>
    internal int SizeOfCompressed(int decompressedSize) => IsShort ? sizeof(int) : UVarint.SizeOf((uint)decompressedSize);

    /// <summary>Returns the same header for a compressed payload.</summary>
    /// <param name="decompressedSize">The size of the payload before compression, in bytes (0–2147483647).</param>
    public MessageHeader Compressed(int decompressedSize)
    {
        if (decompressedSize < 0)
            Throw.ArgumentOutOfRange(nameof(decompressedSize), decompressedSize, "a size is 0 to 2147483647");
        return new MessageHeader(this, (uint)decompressedSize + 1);
    }

    /// <summary>Writes the header in its one valid encoding to the start of <paramref name="destination"/>.</summary>
    /// <returns>The number of bytes written: <see cref="Size"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the destination is shorter than <see cref="Size"/>.</exception>
    public int Write(Span<byte> destination)
    {
        if (destination.Length < MaxSize && destination.Length < Size)
            Throw.ArgumentOutOfRange(nameof(destination), destination.Length, $"this header takes {Size} bytes");

        var flag = IsCompressed ? CompressedFlag : (byte)0;
        if (IsShort)
        {
            destination[0] = (byte)(Type | flag);
            if (!IsCompressed)
                return 1;
            BinaryPrimitives.WriteInt32LittleEndian(destination.Slice(1), DecompressedSize);
            return ShortCompressedSize;
        }

        destination[0] = (byte)(ExtendedMarker | flag);
        destination[1] = (byte)Kind;
        var written = 2 + UVarint.Write(destination.Slice(2), Type);
        if (HasCorrelation(Kind))
            written += UVarint.Write(destination.Slice(written), CorrelationId);
        if (IsCompressed)
            written += UVarint.Write(destination.Slice(written), (uint)DecompressedSize);
        return written;
    }

    /// <summary>Writes this header for a payload that is compressed, as <see cref="Compressed"/> and <see cref="Write"/> do, without a copy of it.</summary>
    internal int WriteCompressed(Span<byte> destination, int decompressedSize)
    {
        if (!IsShort || destination.Length < ShortCompressedSize)
            return Compressed(decompressedSize).Write(destination);

        BinaryPrimitives.WriteInt32LittleEndian(destination.Slice(1), decompressedSize);
        destination[0] = (byte)(Type | CompressedFlag);
        return ShortCompressedSize;
    }

    /// <summary>Reads the header at the start of a message.</summary>
    /// <param name="message">A complete message, or at least its first <see cref="MaxSize"/> bytes.</param>
    /// <param name="header">The header, or the default value.</param>
    /// <param name="size">The size of the header, which is the position of the payload; 0 if there is no valid header.</param>
    /// <returns><see cref="HeaderStatus.Ok"/>, or the rule that the bytes break. Never throws.</returns>
    public static HeaderStatus TryRead(ReadOnlySpan<byte> message, out MessageHeader header, out int size)
    {
        header = default;
        size = 0;
        if (message.IsEmpty)
            return HeaderStatus.Empty;

        var first = message[0];
        var compressed = (first & CompressedFlag) != 0;
        var type = (uint)first & ~(uint)CompressedFlag;
        if (type == ExtendedMarker)
            return TryReadExtended(message, compressed, out header, out size);

        header = new MessageHeader(type);
        if (!compressed)
        {
            size = 1;
            return HeaderStatus.Ok;
        }

        var status = TryReadShortSize(message, out var decompressed);
        if (status != HeaderStatus.Ok)
        {
            header = default;
            return status;
        }

        header = header.Compressed(decompressed);
        size = ShortCompressedSize;
        return HeaderStatus.Ok;
    }

    /// <summary>Reads the header of an extended event of type 128 to 65535 that is not compressed.</summary>
    /// <param name="message">A message that begins with <see cref="ExtendedMarker"/>.</param>
    /// <param name="type">The type.</param>
    /// <param name="size">The size of the header, in bytes.</param>
    /// <returns><c>false</c> for every other header, valid or not.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryReadPlainEvent(ReadOnlySpan<byte> message, out uint type, out int size)
    {
        // The type is a uvarint of two or three bytes, whose last byte is not 0 in the shortest form.
        type = 0;
        size = 4;
        if (message.Length <= size || message[1] != (byte)MessageKind.Event || message[2] < 0x80)
            return false;
        var (low, middle) = (message[2] & 0x7Fu, (uint)message[3]);
        if (middle < 0x80)
        {
            type = low | (middle << 7);
            return middle != 0;
        }

        size = 5;
        var high = (uint)message[4];
        type = low | ((middle & 0x7F) << 7) | (high << 14);
        return high - 1 < (ushort.MaxValue >> 14);
    }

    internal static bool HasCorrelation(MessageKind kind) => kind is MessageKind.Request or MessageKind.Reply or MessageKind.Fault;

    private static HeaderStatus TryReadShortSize(ReadOnlySpan<byte> message, out int decompressed)
    {
        decompressed = 0;
        if (message.Length < ShortCompressedSize)
            return HeaderStatus.Truncated;

        decompressed = BinaryPrimitives.ReadInt32LittleEndian(message.Slice(1));
        return decompressed < 0 ? HeaderStatus.SizeOutOfRange : HeaderStatus.Ok;
    }

    private static HeaderStatus TryReadExtended(ReadOnlySpan<byte> message, bool compressed, out MessageHeader header, out int size)
    {
        header = default;
        size = 0;
        if (message.Length < 2)
            return HeaderStatus.Truncated;

        var second = message[1];
        if ((second & 0xF8) != 0)
            return HeaderStatus.ReservedBits;
        if (second > (byte)MessageKind.Control)
            return HeaderStatus.ReservedKind;

        var kind = (MessageKind)second;
        var status = UVarint.TryRead(message.Slice(2), out var type, out var read);
        if (status != HeaderStatus.Ok)
            return status;
        if (kind == MessageKind.Event && type <= MaxShortType)
            return HeaderStatus.NotShortest;

        var position = 2 + read;
        uint correlation = 0;
        if (HasCorrelation(kind))
        {
            status = UVarint.TryRead(message.Slice(position), out correlation, out read);
            if (status != HeaderStatus.Ok)
                return status;
            position += read;
        }

        var result = new MessageHeader(type, kind, correlation);
        if (compressed)
        {
            status = UVarint.TryRead(message.Slice(position), out var decompressed, out read);
            if (status != HeaderStatus.Ok)
                return status;
            if (decompressed > int.MaxValue)
                return HeaderStatus.SizeOutOfRange;
            position += read;
            result = result.Compressed((int)decompressed);
        }

        header = result;
        size = position;
        return HeaderStatus.Ok;
    }
}
