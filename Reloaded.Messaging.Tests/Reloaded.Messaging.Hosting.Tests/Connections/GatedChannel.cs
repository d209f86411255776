using System.Threading.Channels;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>A channel whose writes wait until the test lets them go, one by one.</summary>
internal sealed class GatedChannel : TransportChannel
{
    private readonly Channel<byte[]> _begun = Channel.CreateUnbounded<byte[]>();
    private readonly SemaphoreSlim _gate = new(0);
    private int _running;
    private int _count;

    public override string RemoteName => "gated";

    /// <summary>What writes fail with once they are let go.</summary>
    public Exception? Failure { get; set; }

    /// <summary>How many writes have begun.</summary>
    public int Begun => Volatile.Read(ref _count);

    /// <summary>Whether two writes were ever under way at once.</summary>
    public bool HasOverlapped { get; private set; }

    /// <summary>The messages of the next write, as soon as it has begun.</summary>
    public async Task<List<byte[]>> NextWriteAsync() => Split(await _begun.Reader.ReadAsync().AsTask().InTime());

    /// <summary>Completes when no write is under way.</summary>
    public async Task EndOfWriteAsync()
    {
        while (Volatile.Read(ref _running) != 0)
            await Task.Yield();
    }

    public void LetGo(int writes = 1) => _gate.Release(writes);

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        HasOverlapped |= Interlocked.Increment(ref _running) != 1;
        Interlocked.Increment(ref _count);
        try
        {
            _begun.Writer.TryWrite(frames.ToArray());
            await _gate.WaitAsync(cancellationToken);
            await Task.Yield();
            if (Failure is { } failure)
                throw failure;
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void Abort()
    {
    }

    public override ValueTask DisposeAsync() => default;

    private static List<byte[]> Split(byte[] frames)
    {
        var messages = new List<byte[]>();
        ReadOnlySpan<byte> rest = frames;
        while (Frame.TryRead(ref rest, int.MaxValue, out var message) == FrameStatus.Ok)
            messages.Add(message.ToArray());
        return rest.IsEmpty ? messages : throw new InvalidOperationException("A write ended within a frame.");
    }
}
