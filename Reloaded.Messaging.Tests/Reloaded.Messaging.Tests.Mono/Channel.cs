using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Tests;

/// <summary>The unbounded queue of System.Threading.Channels, which the compiled tests use.</summary>
internal static class Channel
{
    public static Channel<T> CreateUnbounded<T>() => new();
}

internal sealed class Channel<T>
{
    private readonly Queue<T> _items = new();
    private readonly SemaphoreSlim _count = new(0);
    private bool _isComplete;

    public Channel<T> Writer => this;

    public Channel<T> Reader => this;

    public bool TryWrite(T item)
    {
        lock (_items)
        {
            if (_isComplete)
                return false;
            _items.Enqueue(item);
        }

        _count.Release();
        return true;
    }

    public bool TryRead(out T item)
    {
        lock (_items)
            return _items.TryDequeue(out item!);
    }

    public bool TryComplete()
    {
        lock (_items)
            _isComplete = true;
        _count.Release();
        return true;
    }

    public void Complete() => TryComplete();

    public async IAsyncEnumerable<T> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await _count.WaitAsync(cancellationToken);
        while (TryRead(out var item))
        {
            yield return item;
            await _count.WaitAsync(cancellationToken);
        }
    }

    public async ValueTask<T> ReadAsync(CancellationToken cancellationToken = default)
    {
        await _count.WaitAsync(cancellationToken);
        return TryRead(out var item) ? item : throw new System.InvalidOperationException("The queue is complete.");
    }

    public async ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        await _count.WaitAsync(cancellationToken);
        lock (_items)
            return _items.Count > 0;
    }
}
