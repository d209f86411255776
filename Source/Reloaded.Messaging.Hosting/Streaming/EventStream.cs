using System.Runtime.CompilerServices;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The events of a type as a bounded stream for one reader. Created by <see cref="HostStreams.Events{T}(MessageHost, CancellationToken)"/>.</summary>
/// <typeparam name="T">The event.</typeparam>
/// <remarks>Events of all peers are in one stream, in the order in which their handlers would start. Leaving the loop disposes the stream.</remarks>
public sealed class EventStream<T> : IAsyncEnumerable<T>, IDisposable
{
    private readonly object _gate = new();
    private readonly Queue<T> _waiting = new();
    private readonly HandlerRegistration _registration;
    private readonly CancellationTokenRegistration _disposal; // of the host
    private readonly CancellationToken _cancellationToken;
    private readonly int _capacity;
    private AsyncGate _changed;
    private long _lost;
    private bool _isRead;
    private bool _isDisposed;

    internal EventStream(MessageHost host, MessageContract<T> contract, int capacity, CancellationToken cancellationToken)
    {
        if (contract.Serializer is IPooledMessageSerializer<T>)
            throw new NotSupportedException($"{typeof(T)} is pooled: its instances are reused after each handler. Use On, or declare the message without Pooled.");
        _capacity = Guard.AtLeast(1, capacity, nameof(capacity));
        _cancellationToken = cancellationToken;
        _registration = host.On<T>(contract, (in T message, Peer _) => Add(in message));
        _disposal = host.Disposed.UnsafeRegister(static stream => ((EventStream<T>)stream!).Dispose(), this);
    }

    /// <summary>The number of events that were replaced because the reader was too slow.</summary>
    public long Lost => Volatile.Read(ref _lost);

    /// <summary>Enumerates the events. A stream can be enumerated once.</summary>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="InvalidOperationException">Thrown when the stream was enumerated before.</exception>
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            if (_isRead)
                throw new InvalidOperationException($"The events {typeof(T)} are already enumerated. Call Events again after the first enumeration has ended.");
            _isRead = true;
        }

        return new Enumerator(this, CancellationTokenSource.CreateLinkedTokenSource(_cancellationToken, cancellationToken));
    }

    /// <summary>Ends the stream. A reader receives the waiting events, and then the end. Disposing the host also ends the stream.</summary>
    public void Dispose()
    {
        _registration.Dispose();
        _disposal.Unregister();
        lock (_gate)
        {
            _isDisposed = true;
            _changed.Open();
        }
    }

    private void Add(in T message)
    {
        lock (_gate)
        {
            if (_isDisposed)
                return;
            if (_waiting.Count == _capacity)
            {
                _waiting.Dequeue();
                Interlocked.Increment(ref _lost);
            }

            _waiting.Enqueue(message);
            _changed.Open();
        }
    }

    /// <summary>Takes the oldest event.</summary>
    /// <param name="next">The event.</param>
    /// <param name="changed">Completes when an event may be there; <c>null</c> at the end of the stream.</param>
    private bool TryTake(out T next, out Task? changed)
    {
        lock (_gate)
        {
            changed = null;
            if (_waiting.TryDequeue(out next!))
                return true;
            if (!_isDisposed)
                changed = _changed.WaitAsync();
            return false;
        }
    }

    /// <summary>The reader. Written by hand, because a compiled iterator is four times as large.</summary>
    private sealed class Enumerator(EventStream<T> stream, CancellationTokenSource canceled) : IAsyncEnumerator<T>
    {
        private readonly CancellationToken _token = canceled.Token;

        public T Current { get; private set; } = default!;

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        public async ValueTask<bool> MoveNextAsync()
        {
            while (true)
            {
                _token.ThrowIfCancellationRequested();
                if (stream.TryTake(out var next, out var changed))
                {
                    Current = next;
                    return true;
                }

                if (changed is null)
                    return false;
                await changed.WaitAsync(_token).ConfigureAwait(false);
            }
        }

        public ValueTask DisposeAsync()
        {
            stream.Dispose();
            canceled.Dispose();
            return default;
        }
    }
}
