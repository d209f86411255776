using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A send that waits for room.</summary>
internal sealed class SendOperation(SharedMemoryChannel channel, SpinTime spin) : RingOperation(spin)
{
    private ReadOnlyMemory<byte> _frames;

    public override bool CanComplete => channel.CanSend;

    public bool TryBegin(ReadOnlyMemory<byte> frames, long begun, CancellationToken cancellationToken)
    {
        _frames = frames;
        return TryBegin(begun, cancellationToken);
    }

    protected override bool TryComplete(out int result, out Exception? failure)
    {
        result = 0;
        return channel.TrySend(ref _frames, out failure);
    }

    protected override Exception Closed() => channel.Closed();
}
