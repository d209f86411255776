using System;
using System.Buffers.Binary;

namespace Reloaded.Messaging.Wire;

/// <summary>What precedes a payload: the message's type and kind, and what is needed to unpack it.</summary>
/// <remarks>
/// Short form, for events of type 0 to 126: one byte, bit 7 set and an int32 size behind it when the payload is compressed.
/// <c>03</c> is type 3; <c>83 E8 03 00 00</c> is type 3, compressed, 1000 bytes when decompressed.
/// Extended form, for everything else: <c>7F</c> or <c>FF</c>, the kind, then uvarints.
/// <c>7F 01 03 2A</c> is a request of type 3 with correlation id 42. The whole format is in <c>docs/wire-format.md</c>.
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

    // The size and whether there is one in a single field: the compiler keeps a struct in registers up to four.
    private readonly uint _sizeAndOne;

    /// <summary>Describes a message.</summary>
    /// <param name="type">The message's type; for <see cref="MessageKind.Control"/>, the opcode.</param>
    /// <param name="kind">What the message is for.</param>
    /// <param name="correlationId">Pairs a request with its answer; 0 for events and control, which carry none.</param>
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

    private MessageHeader(in MessageHeader header, uint sizeAndOne)
    {
        this = header;
        _sizeAndOne = sizeAndOne;
    }

    /// <summary>The message's type: what its contract calls its id.</summary>
    public uint Type { get; }

    /// <summary>What the message is for.</summary>
    public MessageKind Kind { get; }

    /// <summary>Pairs a request with its reply or fault; 0 for other kinds.</summary>
    public uint CorrelationId { get; }

    /// <summary>Whether the payload is compressed.</summary>
    public bool IsCompressed => _sizeAndOne != 0;

    /// <summary>The payload's size after decompression, in bytes, as the sender declares it: not to be believed before it is checked. 0 if it is not compressed.</summary>
    public int DecompressedSize => _sizeAndOne == 0 ? 0 : (int)(_sizeAndOne - 1);

    /// <summary>Whether the short form is this header's encoding.</summary>
    public bool IsShort => Kind == MessageKind.Event && Type <= MaxShortType;

    /// <summary>The bytes that <see cref="Write"/> takes: 1 to <see cref="MaxSize"/>.</summary>
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

    /// <summary>How much longer the header is because the payload is compressed, in bytes.</summary>
    internal int SizeOfSize => !IsCompressed ? 0 : IsShort ? sizeof(int) : UVarint.SizeOf((uint)DecompressedSize);

    /// <summary>The same header for a payload that is compressed.</summary>
    /// <param name="decompressedSize">The payload's size before compression, in bytes; not negative.</param>
    public MessageHeader Compressed(int decompressedSize)
    {
        if (decompressedSize < 0)
            Throw.ArgumentOutOfRange(nameof(decompressedSize), decompressedSize, "a size is 0 to 2147483647");
        return new MessageHeader(this, (uint)decompressedSize + 1);
    }

    /// <summary>Writes the header in its one valid encoding to the start of <paramref name="destination"/>.</summary>
    /// <returns>The bytes written: <see cref="Size"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The destination is shorter than that.</exception>
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

    /// <summary>Reads the header at the start of a message.</summary>
    /// <param name="message">A whole message, or at least its first <see cref="MaxSize"/> bytes.</param>
    /// <param name="header">The header, or the default one.</param>
    /// <param name="size">The bytes it took: where the payload starts; 0 when there is no header.</param>
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
