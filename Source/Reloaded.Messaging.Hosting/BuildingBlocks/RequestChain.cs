using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>Requests in the order in which they ended, linked by <see cref="PendingRequest.Next"/>. Each request is in at most one chain. Not thread-safe.</summary>
internal struct RequestChain
{
    private PendingRequest? _first;
    private PendingRequest? _last;

    public readonly bool IsEmpty => _first is null;

    /// <summary>Creates a chain of one request.</summary>
    public static RequestChain Of(PendingRequest request) => new() { _first = request, _last = request };

    /// <summary>Adds a request at the end.</summary>
    public void Add(PendingRequest request) => Add(Of(request));

    /// <summary>Adds the requests of another chain at the end. The other chain must not be used afterwards.</summary>
    public void Add(in RequestChain other)
    {
        if (other._first is null)
            return;
        if (_last is null)
            _first = other._first;
        else
            _last.Next = other._first;
        _last = other._last;
    }

    /// <summary>Takes the first request. It is unlinked, because it may be used again as soon as it is completed.</summary>
    public bool TryTake([NotNullWhen(true)] out PendingRequest? request)
    {
        request = _first;
        if (request is null)
            return false;
        _first = request.Next;
        request.Next = null;
        if (_first is null)
            _last = null;
        return true;
    }
}
