namespace System.Threading.Channels
{
    /// <summary>Makes the namespace exist that files import for the queues of newer targets.</summary>
    internal static class ChannelNamespace;
}

namespace Reloaded.Messaging.Polyfills
{
    /// <summary>Creates bounded queues. Replaces System.Threading.Channels, with the members that this library uses.</summary>
    internal static class Channel
    {
        public static Channel<T> CreateBounded<T>(int capacity) => new(capacity);
    }

    /// <summary>A bounded queue with one reader, which waits for items.</summary>
    internal sealed class Channel<T>(int capacity)
    {
        private readonly Queue<T> _items = new();
        private TaskCompletionSource<bool>? _waiting;
        private bool _isComplete;

        public Channel<T> Writer => this;

        public Channel<T> Reader => this;

        /// <returns><see langword="false"/> if the queue is full or complete.</returns>
        public bool TryWrite(T item)
        {
            TaskCompletionSource<bool>? waiting;
            lock (_items)
            {
                if (_isComplete || _items.Count >= capacity)
                    return false;
                _items.Enqueue(item);
                (waiting, _waiting) = (_waiting, null);
            }

            waiting?.TrySetResult(true);
            return true;
        }

        public bool TryRead(out T item)
        {
            lock (_items)
                return _items.TryDequeue(out item!);
        }

        public bool TryComplete()
        {
            TaskCompletionSource<bool>? waiting;
            lock (_items)
            {
                if (_isComplete)
                    return false;
                _isComplete = true;
                (waiting, _waiting) = (_waiting, null);
            }

            waiting?.TrySetResult(false);
            return true;
        }

        /// <returns><see langword="true"/> if there may be an item; <see langword="false"/> if the queue is complete and empty.</returns>
        public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            TaskCompletionSource<bool> waiting;
            lock (_items)
            {
                if (_items.Count > 0)
                    return new ValueTask<bool>(true);
                if (_isComplete)
                    return new ValueTask<bool>(false);
                waiting = _waiting ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            }

            return new ValueTask<bool>(waiting.Task.WaitAsync(cancellationToken));
        }
    }
}
