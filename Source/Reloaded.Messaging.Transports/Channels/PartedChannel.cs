using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A channel that sends in parts, so that <see cref="SentBytes"/> grows during a large send.</summary>
internal abstract class PartedChannel : TransportChannel
{
    /// <summary>The maximum size of a part, in bytes. It equals the size of a write with merged messages.</summary>
    public const int PartSize = 64 * 1024;

    private long _sent;

    public sealed override long? SentBytes => Volatile.Read(ref _sent);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public sealed override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        while (frames.Length > 0)
        {
            var part = frames.Slice(0, Math.Min(frames.Length, PartSize));
            await WriteAsync(part, cancellationToken).ConfigureAwait(false);
            frames = frames.Slice(part.Length);
            Volatile.Write(ref _sent, _sent + part.Length);
        }
    }

    /// <summary>Writes a part.</summary>
    protected abstract ValueTask WriteAsync(ReadOnlyMemory<byte> part, CancellationToken cancellationToken);
}
