using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The items of a stream of the remote side. Each enumeration opens the stream, and closes it.</summary>
/// <param name="peer">The producer.</param>
/// <param name="contract">The contract of the items.</param>
/// <param name="open">Opens the stream.</param>
/// <param name="canceled">Ends the enumerations.</param>
/// <remarks>Enumerators are written by hand, because a compiled iterator is four times as large. An item that has already arrived needs no task.</remarks>
internal sealed class ItemsToRead<T>(Peer peer, MessageContract<T> contract, Func<CancellationToken, Task<IncomingStream>> open, CancellationToken canceled) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        var linked = canceled.CanBeCanceled && cancellationToken.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(canceled, cancellationToken) : null;
        return new ItemEnumerator<T>(peer, contract, open, linked, linked?.Token ?? (canceled.CanBeCanceled ? canceled : cancellationToken));
    }
}

/// <inheritdoc/>
internal sealed class ItemEnumerator<T>(Peer peer, MessageContract<T> contract, Func<CancellationToken, Task<IncomingStream>> open, CancellationTokenSource? linked, CancellationToken canceled) : IAsyncEnumerator<T>
{
    private readonly PayloadDecoder<T> _decoder = new(contract, peer.Host.Options.MessageLimits);
    private IncomingStream? _stream;
    private StreamBlock _block;
    private int _position;
    private bool _isDisposed;

    public T Current { get; private set; } = default!;

    public ValueTask<bool> MoveNextAsync() => _position < _block.Length ? new ValueTask<bool>(ReadItem()) : FetchAsync();

    public ValueTask DisposeAsync()
    {
        Close();
        return default;
    }

    /// <summary>Reads the first item of the next block. At the end and after an exception, closes the stream.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> FetchAsync()
    {
        var isRead = false;
        try
        {
            Return();
            if (!_isDisposed)
            {
                if (_stream is null)
                {
                    peer.ThrowIfRefused(contract);
                    _stream = await open(canceled).ConfigureAwait(false);
                }

                _block = await _stream.ReadAsync(canceled).ConfigureAwait(false);
                isRead = !_block.IsEnd && ReadItem();
            }
        }
        finally
        {
            if (!isRead)
                Close();
        }

        return isRead;
    }

    private void Close()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        Return();
        _stream?.Dispose();
        linked?.Dispose();
    }

    private bool ReadItem()
    {
        Current = ItemReader.ReadItem(_block, ref _position, _decoder);
        return true;
    }

    private void Return()
    {
        _block.Return(contract.IsSecret);
        (_block, _position) = (default, 0);
    }
}
