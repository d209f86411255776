using System;
using System.Buffers;
using Reloaded.Messaging.Hosting.Framing;

namespace Reloaded.Messaging.Hosting.Sending;

/// <summary>Frames one after the other, in an array that is rented while it is large.</summary>
internal sealed class FrameBuffer(LengthPrefix prefix = LengthPrefix.UVarint)
{
    private const int InitialCapacity = 4096;

    /// <summary>The largest array that is kept for the next frames.</summary>
    private const int MaxKept = 64 * 1024;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(InitialCapacity);
    private bool _holdsSecret;

    public int Length { get; private set; }

    public int Frames { get; private set; }

    public ReadOnlyMemory<byte> Memory => new(_array, 0, Length);

    /// <summary>Appends a message behind its length.</summary>
    public void Append(ReadOnlySpan<byte> message, bool isSecret)
    {
        _holdsSecret |= isSecret;
        var needed = Length + PrefixedFrame.MaxPrefix + message.Length;
        if (needed > _array.Length)
            Grow(needed);
        Length += PrefixedFrame.WriteLength(prefix, _array.AsSpan(Length), message.Length);
        message.CopyTo(_array.AsSpan(Length));
        Length += message.Length;
        Frames++;
    }

    /// <summary>Empties it. A large array goes back to where others can have it.</summary>
    public void Clear()
    {
        if (_array.Length > MaxKept)
            Replace(InitialCapacity);
        else if (_holdsSecret)
            _array.AsSpan(0, Length).Clear();
        _holdsSecret = false;
        Length = 0;
        Frames = 0;
    }

    /// <summary>Gives the array back. Of no use afterwards.</summary>
    public void Free()
    {
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = [];
        Length = 0;
    }

    private void Grow(int needed)
    {
        var old = _array.AsSpan(0, Length);
        var larger = ArrayPool<byte>.Shared.Rent(Math.Max(needed, _array.Length * 2));
        old.CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = larger;
    }

    private void Replace(int capacity)
    {
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = ArrayPool<byte>.Shared.Rent(capacity);
    }
}
