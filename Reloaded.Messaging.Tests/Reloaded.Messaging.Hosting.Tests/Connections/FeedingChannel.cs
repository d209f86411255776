using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Hands bytes out in pieces that the test cuts, then ends. Notes how much room it was offered.</summary>
internal sealed class FeedingChannel(byte[] bytes, Func<int, int> cut) : TransportChannel
{
    private int _position;

    public override string RemoteName => "feeding";

    /// <summary>What has arrived so far.</summary>
    public int Arrived => _position;

    /// <summary>How much room there was the last time.</summary>
    public int RoomOffered { get; private set; }

    /// <summary>The largest sum of what had arrived and what there was still room for.</summary>
    public int LargestBuffer { get; private set; }

    /// <summary>The largest ratio of that sum to what had arrived, once there was more than a first buffer holds.</summary>
    public double LargestRatio { get; private set; }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        RoomOffered = buffer.Length;
        LargestBuffer = Math.Max(LargestBuffer, _position + buffer.Length);
        if (_position >= 16 * 1024)
            LargestRatio = Math.Max(LargestRatio, (double)(_position + buffer.Length) / _position);
        var size = Math.Min(Math.Min(cut(_position), buffer.Length), bytes.Length - _position);
        bytes.AsSpan(_position, size).CopyTo(buffer.Span);
        _position += size;
        return new ValueTask<int>(size);
    }

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void Abort()
    {
    }

    public override ValueTask DisposeAsync() => default;
}
