using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting;

/// <summary>The items that arrive with a request, for its handler. They can be enumerated once, until the requester has the reply.</summary>
/// <param name="request">The request.</param>
/// <param name="contract">The contract of the items.</param>
/// <param name="reply">The stream with which the handler replies; <c>null</c> for none. It is closed when the requester no longer waits.</param>
/// <param name="ended">Canceled when the requester no longer waits, or when the stream of the reply has ended.</param>
[SuppressMessage("Design", "CA1001", Justification = "The enumeration disposes the stream.")]
internal sealed class RequestItems<T>(MessageContext request, MessageContract<T> contract, OutgoingStream? reply, CancellationToken ended) : IAsyncEnumerable<T>
{
    private int _isRead;
    private IncomingStream? _stream; // the enumeration owns it

    /// <summary>Whether the enumeration was canceled, because the requester no longer waits.</summary>
    public bool IsCanceled => _stream is { IsCanceled: true };

    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        if (Interlocked.Exchange(ref _isRead, 1) != 0)
            throw new InvalidOperationException($"The items {typeof(T)} of a request are already enumerated. They arrive once. Copy those that are needed again.");
        var stream = _stream = new IncomingStream(request.Peer, StreamTable.ItemsOfRequest + request.CorrelationId, contract.IsSecret, beside: reply);
        return new ItemsToRead<T>(request.Peer, contract, _ => Task.FromResult(stream), ended).GetAsyncEnumerator(cancellationToken);
    }
}
