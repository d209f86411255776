using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <content>Whose it is, which use of it this is, and what has to be done before the next.</content>
public sealed partial class MessageBuffer
{
    /// <summary>The cache that made this buffer and alone decides when it may be used again; null for a buffer outside of the pool.</summary>
    internal ThreadCache? Owner { get; }

    /// <summary>From one use to the next.</summary>
    internal const long NextGeneration = 2;

    /// <summary>From a use to its end, where the buffer is on its way back to its home.</summary>
    internal const long EndedGeneration = 1;

    /// <summary>Which use of the buffer this is: odd while a handle is valid, even on its way home. A handle is valid while its own number is the same.</summary>
    internal long Generation = 1;

    /// <summary>The home, while a release there is no more than a step of the generation and a flag; null while the buffer needs care.</summary>
    internal ThreadCache? FastReturnOwner;

    /// <summary>Whether a message is in it, or a use of the library's own. Written by the home thread alone.</summary>
    internal bool IsInUse;

    /// <summary>Whether it has to be zeroed before its next use.</summary>
    internal bool IsSecret { get; private set; }

    /// <summary>Whether returning it takes more than a flag: a secret to clear, or an array to hand back.</summary>
    internal bool NeedsCleanup => IsSecret || _array != _retained;

    /// <summary>Goes back to a small array, if it has a larger one than many spare buffers may have. Only what is cleaned.</summary>
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

    /// <summary>Makes the buffer as new: secrets zeroed, a large array handed back.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // rare, and in the way of the release that it would be inlined into
    internal void Clean()
    {
        if (IsSecret)
            Array.Clear(_array, 0, _array.Length); // all of it: a serializer may have written past what it kept
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
