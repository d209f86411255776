using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Decrypts received records: complete records in the memory of the caller, and partial records in rented memory.</summary>
/// <remarks>One receive at a time. The rented memory holds ciphertext, and decrypted bytes that were not taken yet. It is zeroed and returned as soon as it holds neither.</remarks>
internal sealed class RecordReader
{
    /// <summary>The maximum plaintext size of a record, in bytes. It bounds the memory of sender and receiver, and the cost of an altered byte.</summary>
    public const int MaxPlain = 16 * 1024;

    public const int HeaderSize = sizeof(ushort) + 1;

    private const int MinLength = 1 + TrafficKey.TagSize + 1;
    private const int MaxLength = 1 + TrafficKey.TagSize + MaxPlain;

    /// <summary>The minimum size of the caller's memory, in bytes. If it is smaller, bytes are received into rented memory.</summary>
    private const int MinRoom = 1024;

    /// <summary>The ciphertext that was not decrypted yet. The decrypted bytes are among the bytes that were read.</summary>
    private ReceiveBuffer _held;
    private int _plainStart;
    private int _plainEnd;

    /// <summary>Whether no part of a record is held.</summary>
    public bool IsBetweenRecords => _held.Length == 0;

    /// <summary>Whether bytes were decrypted and not taken.</summary>
    public bool HasPlain => _plainEnd > _plainStart;

    /// <summary>Copies bytes that were decrypted earlier.</summary>
    public int TryTake(Span<byte> buffer)
    {
        var size = Math.Min(buffer.Length, _plainEnd - _plainStart);
        if (size == 0)
            return 0;
        _held.Read.Slice(_plainStart, size).CopyTo(buffer);
        _plainStart += size;
        if (_plainStart == _plainEnd && IsBetweenRecords)
            Free();
        return size;
    }

    /// <summary>Returns the memory to receive into: the memory of the caller, if it is large enough and no bytes are held. Called after all decrypted bytes were taken.</summary>
    public Memory<byte> GetRoom(Memory<byte> buffer)
    {
        if (_held.Capacity == 0 && buffer.Length >= MinRoom)
            return buffer;

        var record = _held.Length < HeaderSize ? MinRoom : sizeof(ushort) + BinaryPrimitives.ReadUInt16LittleEndian(_held.Unread);
        _held.Reserve(Math.Max(record, MinRoom));
        _plainStart = _plainEnd = 0;
        return _held.Room;
    }

    /// <summary>Decrypts received bytes.</summary>
    /// <param name="opener">The keys.</param>
    /// <param name="destination">The memory that <see cref="GetRoom"/> returned.</param>
    /// <param name="received">The number of received bytes.</param>
    /// <param name="buffer">The memory of the caller.</param>
    /// <returns>The number of bytes decrypted to the start of the caller's memory; negative if the other side did not send the received bytes.</returns>
    public int Open(PacketOpener opener, Memory<byte> destination, int received, Memory<byte> buffer)
    {
        if (_held.Capacity == 0)
        {
            var data = destination.Span.Slice(0, received);
            var plain = OpenWhole(opener, data, out var consumed);
            if (plain < 0)
            {
                CryptographicOperations.ZeroMemory(data);
                return plain;
            }

            Hold(data.Slice(consumed));
            return plain;
        }

        _held.Add(received);
        var opened = OpenWhole(opener, _held.Unread, out var used);
        if (opened < 0)
            return opened;
        _plainStart = _held.Read.Length;
        _plainEnd = _plainStart + opened;
        _held.Skip(used);
        return TryTake(buffer.Span);
    }

    /// <summary>Zeroes and returns the held memory.</summary>
    public void Free()
    {
        _held.Free();
        _plainStart = _plainEnd = 0;
    }

    /// <summary>Decrypts the complete records at the start of <paramref name="data"/>, in place, and joins their content.</summary>
    private static int OpenWhole(PacketOpener opener, Span<byte> data, out int consumed)
    {
        consumed = 0;
        var plain = 0;
        while (data.Length - consumed >= HeaderSize)
        {
            int length = BinaryPrimitives.ReadUInt16LittleEndian(data.Slice(consumed));
            if (length is < MinLength or > MaxLength)
                return -1;
            if (data.Length - consumed < sizeof(ushort) + length)
                break;
            var packet = data.Slice(consumed + HeaderSize, length - 1);
            if (opener.TryOpenNext(data[consumed + sizeof(ushort)], packet, packet) != OpenStatus.Ok)
                return -1;
            var size = packet.Length - TrafficKey.TagSize;
            packet.Slice(0, size).CopyTo(data.Slice(plain));
            plain += size;
            consumed += sizeof(ushort) + length;
        }

        return plain;
    }

    private void Hold(ReadOnlySpan<byte> part)
    {
        if (part.IsEmpty)
            return;
        _held.Reserve(Math.Max(part.Length, MinRoom));
        part.CopyTo(_held.Room.Span);
        _held.Add(part.Length);
    }
}
