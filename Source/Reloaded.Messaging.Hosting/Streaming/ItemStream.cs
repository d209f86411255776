namespace Reloaded.Messaging.Hosting;

/// <summary>A stream of items that this side produces, with a reply or with a request. It reads ahead of the pulls by one block.</summary>
/// <param name="peer">The consumer.</param>
/// <param name="requestType">The type of the request.</param>
/// <param name="contract">The contract of the items.</param>
/// <param name="open">Creates the source. Its token is canceled when the stream is closed.</param>
internal sealed class ItemStream<T>(Peer peer, uint requestType, MessageContract<T> contract, Func<CancellationToken, IAsyncEnumerable<T>> open) : OutgoingStream(peer, contract.IsSecret)
{
    private readonly object _gate = new();
    private readonly MessageBatch _batch = new(GetMaxBlock(peer));
    private readonly int _blockSize = LimitBlock(peer, IncomingStream.BlockSize);
    private AsyncGate _changed; // opened when the batch has items, and at the end
    private AsyncGate _room;
    private IAsyncEnumerable<T>? _source;
    private RequestFaultException? _fault;
    private bool _isStarted;
    private bool _isAppending; // the producer writes to the batch without the lock
    private bool _hasEnded;

    /// <summary>Calls the program's handler, which creates the source. Its exceptions are thrown to the caller.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the handler returned <c>null</c>.</exception>
    public void Open() => _source = open(Closed) ?? throw new InvalidOperationException($"The handler returned null in place of the items {typeof(T)}. Return an empty enumerable for no items.");

    protected override async ValueTask<StreamBlock> TakeAsync(int maxBytes)
    {
        if (!_isStarted)
        {
            _isStarted = true;
            _ = ProduceAsync();
        }

        while (true)
        {
            Task changed;
            lock (_gate)
            {
                if (IsClosed)
                    return StreamBlock.End;
                if (_batch.Count > 0 && !_isAppending)
                {
                    var block = StreamBlock.Copy(_batch.Span);
                    _batch.Clear();
                    _room.Open();
                    return block;
                }

                if (_hasEnded)
                    return _fault is null ? StreamBlock.End : throw _fault;
                changed = _changed.WaitAsync();
            }

            await changed.ConfigureAwait(false);
        }
    }

    protected override void OnClosed()
    {
        lock (_gate)
        {
            _changed.Open();
            _room.Open();
            if (_hasEnded || !_isStarted)
                _batch.Dispose();
        }
    }

    private async Task ProduceAsync()
    {
        try
        {
            await foreach (var item in _source!.WithCancellation(Closed).ConfigureAwait(true)) // in the context of the pump
            {
                while (!TryAppend(in item, out var room))
                    await room.ConfigureAwait(true);
                if (Closed.IsCancellationRequested) // and not before: the source must find its token canceled
                    break;
            }
        }
        catch (OperationCanceledException) when (IsClosed)
        {
            // the consumer does not read the end of the stream
        }
        catch (Exception e)
        {
            _fault = DescribeFailure(e);
        }
        finally
        {
            End();
        }
    }

    /// <summary>Appends an item if the block is not full.</summary>
    /// <param name="item">The item.</param>
    /// <param name="room">Completes when the block was taken.</param>
    /// <exception cref="MessageTooLargeException">Thrown when the item is larger than a message to the peer may be.</exception>
    private bool TryAppend(in T item, out Task room)
    {
        lock (_gate)
        {
            room = Task.CompletedTask;
            if (IsClosed)
                return true;
            if (_batch.Length >= _blockSize)
            {
                room = _room.WaitAsync();
                return false;
            }

            _isAppending = true;
        }

        var isAppended = false;
        try
        {
            isAppended = Peer.Host.Resources.Writer.TryAppend(_batch, contract, in item); // outside of the lock, because the serializer is code of the program
        }
        finally
        {
            lock (_gate)
            {
                _isAppending = false;
                _changed.Open();
                if (!isAppended && !IsClosed)
                    room = _room.WaitAsync();
            }
        }

        return isAppended || IsClosed;
    }

    private void End()
    {
        lock (_gate)
        {
            _hasEnded = true;
            _changed.Open();
            if (IsClosed)
                _batch.Dispose();
        }
    }

    /// <summary>Reports a failure as for other handlers. The sender of a request with items receives it instead. The consumer receives no details of an exception that is not a fault.</summary>
    private RequestFaultException DescribeFailure(Exception failure)
    {
        var isKept = Number >= StreamTable.ItemsOfRequest && TryKeep(failure);
        if (failure is RequestFaultException { IsRemote: false } fault)
            return fault;
        if (!isKept)
            Peer.Host.Events.ReportFailure(Peer, requestType, failure);
        return failure is MessageTooLargeException
            ? RequestFaultException.OfLibrary(FaultCode.ReplyFailed, Fault.DescribeReplyFailure(typeof(T), failure))
            : RequestFaultException.OfLibrary(FaultCode.HandlerFailed, "The source of the stream failed.");
    }
}
