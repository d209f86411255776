using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The message from a server to a client that has connected to the socket or pipe: the location of the map. <c>docs/specification/shared-memory.md</c> specifies the bytes.</summary>
internal sealed class MapOffer(WakeMode mode, int capacity, byte[] identity)
{
    /// <summary>How sleeping threads are woken.</summary>
    public readonly WakeMode Mode = mode;

    /// <summary>The size of each ring, in bytes.</summary>
    public readonly int Capacity = capacity;

    /// <summary>Random bytes that name the map, and are in its header too.</summary>
    public readonly byte[] Identity = identity;

    public const int Size = 32;

    private const int ModeOffset = 8;
    private const int CapacityOffset = 12;
    private const int IdentityOffset = 16;

    /// <summary>The name of the map.</summary>
    public string Name => "peer-" + new Guid(Identity).ToString("N");

    public static MapOffer Create(WakeMode mode, int capacity)
    {
        var identity = new byte[RingLayout.IdentitySize];
        RandomNumberGenerator.Fill(identity);
        return new MapOffer(mode, capacity, identity);
    }

    public byte[] ToBytes()
    {
        var bytes = new byte[Size];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, RingLayout.Magic);
        bytes[ModeOffset] = (byte)Mode;
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(CapacityOffset), Capacity);
        Identity.CopyTo(bytes, IdentityOffset);
        return bytes;
    }

    /// <summary>Reads an offer.</summary>
    /// <returns><c>null</c> if it is of another version, damaged, or asks for what this system does not have.</returns>
    public static MapOffer? TryRead(ReadOnlySpan<byte> bytes)
    {
        var (mode, capacity) = ((WakeMode)bytes[ModeOffset], BinaryPrimitives.ReadInt32LittleEndian(bytes.Slice(CapacityOffset)));
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes) == RingLayout.Magic && RingLayout.IsCapacity(capacity) && WakeSignals.IsSupported(mode)
            ? new MapOffer(mode, capacity, bytes.Slice(IdentityOffset, RingLayout.IdentitySize).ToArray())
            : null;
    }

    /// <summary>Writes the header of a new map.</summary>
    public unsafe void WriteHeader(SharedMap map)
    {
        *(int*)(map.Start + RingLayout.CapacityOffset) = Capacity;
        Identity.CopyTo(new Span<byte>(map.Start + RingLayout.IdentityOffset, RingLayout.IdentitySize));
        Volatile.Write(ref *(ulong*)(map.Start + RingLayout.MagicOffset), RingLayout.Magic);
    }

    /// <summary>Whether a map is the one that was offered.</summary>
    public unsafe bool IsHeaderOf(SharedMap map) =>
        Volatile.Read(ref *(ulong*)(map.Start + RingLayout.MagicOffset)) == RingLayout.Magic &&
        *(int*)(map.Start + RingLayout.CapacityOffset) == Capacity &&
        new ReadOnlySpan<byte>(map.Start + RingLayout.IdentityOffset, RingLayout.IdentitySize).SequenceEqual(Identity);
}
