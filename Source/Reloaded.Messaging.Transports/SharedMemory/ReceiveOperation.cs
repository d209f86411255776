using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A receive that waits for bytes.</summary>
internal sealed class ReceiveOperation(SharedMemoryChannel channel, SpinTime spin) : RingOperation(spin)
{
    private Memory<byte> _buffer;

    public override bool CanComplete => channel.CanReceive;

    public bool TryBegin(Memory<byte> buffer, long begun, CancellationToken cancellationToken)
    {
        _buffer = buffer;
        return TryBegin(begun, cancellationToken);
    }

    protected override bool TryComplete(out int result, out Exception? failure) => channel.TryReceive(_buffer.Span, out result, out failure);

    protected override Exception Closed() => channel.Closed();
}
