using System;

namespace Reloaded.Messaging;

/// <summary>Wakes a thread of the other process by a byte over the lifeline.</summary>
internal sealed unsafe class ByteSignal(LifelineSender sender, byte code) : WakeSignal
{
    public override void Wait(int* word, int expected) => throw new NotSupportedException("A thread of the other process waits by its own signal.");

    public override void Wake(int* word) => sender.Send(code);

    public override void Dispose()
    {
        // The channel is not this object's.
    }
}
