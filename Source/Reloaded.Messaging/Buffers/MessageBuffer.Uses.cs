using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <content>The owner of the buffer, the number of its use, and the work before its next use.</content>
public sealed partial class MessageBuffer
{
    /// <summary>The cache that created this buffer and alone decides when it is used again, or <c>null</c> for a buffer outside of the pool.</summary>
    internal ThreadCache? Owner { get; }

    /// <summary>From a use to the state in which the owner may use the buffer again.</summary>
    internal const long FreeGeneration = 3;

    /// <summary>From a use to its end on another thread: the buffer is on its way back to its owner.</summary>
    internal const long EndedGeneration = 1;

    /// <summary>
    /// Which use of the buffer this is, and whether the buffer is in use, in one number. A multiple of four: free. One more: in use, and
    /// a handle with the same number is valid. Two more: released by another thread. Only the owner starts a use.
    /// </summary>
    internal long Generation;

    /// <summary>The home, while a release there is no more than a step of the generation and a flag; null while the buffer needs care.</summary>
    internal ThreadCache? FastReturnOwner;

    /// <summary>Whether the buffer may not be used for another message. Any thread; exact on the owner's.</summary>
    internal bool IsInUse => (Volatile.Read(ref Generation) & 3) != 0;

    /// <summary>Whether the buffer has to be zeroed before its next use.</summary>
    internal bool IsSecret { get; private set; }

    /// <summary>Whether a return needs more than a flag: a secret to zero, or an array to return.</summary>
    internal bool NeedsCleanup => IsSecret || _array != _retained;

    /// <summary>Replaces the array by a small one, if it is larger than many spare buffers may have. Only for cleaned buffers.</summary>
    internal void Shrink()
    {
        if (_retained.Length > InitialCapacity)
            _array = _retained = GC.AllocateUninitializedArray<byte>(InitialCapacity);
    }

    internal void MarkSecret()
    {
        IsSecret = true;
        FastReturnOwner = null;
    }

    /// <summary>Resets the buffer: secrets are zeroed, a large array is returned.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // rare, and it would bloat the release that inlines it
    internal void Clean()
    {
        if (IsSecret)
            Array.Clear(_array, 0, _array.Length); // the whole array: a serializer may have written past the part that it kept
        else if (MessagePool.PoisonsReturnedBuffers)
            _array.AsSpan().Fill(MessagePool.Poison);

        IsSecret = false;
        _length = 0;
        if (_array != _retained)
        {
            var large = _array;
            _array = _retained;
            ArrayPool<byte>.Shared.Return(large);
        }

        Volatile.Write(ref FastReturnOwner, Owner);
    }
}
