using System;
using Reloaded.Messaging.Buffers;

namespace Reloaded.Messaging.Tracking;

/// <summary>One buffer that is filled again and again: rented while it is large, and handed back when two fillings in a row used less than a quarter.</summary>
internal sealed class ReusedBuffer
{
    private int _usedBefore;

    public MessageBuffer Buffer { get; } = new(home: null);

    public void Clear()
    {
        var used = Math.Max(Buffer.Length, _usedBefore);
        _usedBefore = Buffer.Length;
        if (MessagePool.PoisonsReturnedBuffers || (Buffer.Capacity > MessageBuffer.MaxRetained && used < Buffer.Capacity / 4))
            Buffer.Clean();
        Buffer.Restart(int.MaxValue);
    }

    public void Free() => Buffer.Clean();
}
