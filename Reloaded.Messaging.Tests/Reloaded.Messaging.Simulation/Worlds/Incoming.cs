using System.Net.Sockets;

namespace Reloaded.Messaging.Simulation;

/// <summary>The bytes that have arrived, and the receive that waits for them.</summary>
internal sealed class Incoming
{
    private readonly Queue<byte[]> _pieces = new();
    private TaskCompletionSource? _waiting;
    private int _start;

    public int Count { get; private set; }

    public bool HasEnded { get; private set; }

    public async Task WaitAsync(CancellationToken cancellationToken)
    {
        var waiting = _waiting = new TaskCompletionSource();
        using var registration = cancellationToken.UnsafeRegister(state => ((TaskCompletionSource)state!).TrySetCanceled(cancellationToken), waiting);
        await waiting.Task.ConfigureAwait(false);
    }

    public void Add(byte[] piece)
    {
        _pieces.Enqueue(piece);
        Count += piece.Length;
        Wake();
    }

    public int Read(Span<byte> destination)
    {
        var read = 0;
        while (read < destination.Length && _pieces.TryPeek(out var piece))
        {
            var size = Math.Min(piece.Length - _start, destination.Length - read);
            piece.AsSpan(_start, size).CopyTo(destination.Slice(read));
            read += size;
            _start += size;
            if (_start < piece.Length)
                continue;
            _pieces.Dequeue();
            _start = 0;
        }

        Count -= read;
        return read;
    }

    public void End()
    {
        HasEnded = true;
        Wake();
    }

    public void Discard()
    {
        _pieces.Clear();
        (Count, _start) = (0, 0);
    }

    public void Forget() => _waiting = null;

    public void Fail(SocketError error)
    {
        var waiting = _waiting;
        _waiting = null;
        waiting?.TrySetException(new SocketException((int)error));
    }

    public void Wake()
    {
        var waiting = _waiting;
        _waiting = null;
        waiting?.TrySetResult();
    }
}
