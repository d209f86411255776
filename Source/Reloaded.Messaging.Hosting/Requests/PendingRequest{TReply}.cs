using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Dispatching;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.Requests;

/// <summary>The request's task, used again and again. It goes back to its pool when its result is fetched.</summary>
internal sealed class PendingRequest<TReply> : PendingRequest, IThreadPoolWorkItem, IValueTaskSource<RequestResult<TReply>>, IValueTaskSource<TReply>
{
    private static readonly SpareRequests<TReply> s_spare = new();

    // Runs continuations where its result is set. That is a work item of this object's own: the core would allocate one for each request.
    private ManualResetValueTaskSourceCore<RequestResult<TReply>> _core;
    private RequestResult<TReply> _result;
    private PayloadDecoder<TReply> _decoder = null!;
    private uint _replyType;
    private IRequestOwner? _owner;
    private string? _reason;
    private CancellationTokenRegistration _cancellation;

    public ValueTask<TReply> ReplyTask => new(this, _core.Version);

    public ValueTask<RequestResult<TReply>> ResultTask => new(this, _core.Version);

    public static PendingRequest<TReply> Rent(IRequestOwner owner, MessageContract<TReply> contract, MessageLimits limits)
    {
        var request = s_spare.TryTake() ?? new PendingRequest<TReply>();
        request._owner = owner;
        if (request._decoder?.Contract != contract || request._decoder.Limits != limits)
            request._decoder = new PayloadDecoder<TReply>(contract, limits);
        request._replyType = contract.Type;
        return request;
    }

    /// <summary>Has the token end it. Before anyone can await it; the token may be canceled already.</summary>
    public void CancelBy(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
            _cancellation = cancellationToken.UnsafeRegister(static state => ((PendingRequest<TReply>)state!).Cancel(), this);
    }

    /// <summary>Goes back to the pool without ever having been awaited.</summary>
    public void Abandon()
    {
        _owner = null;
        s_spare.Add(this);
    }

    public override void End(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        _result = Read(in header, payload);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
    }

    public override void End(RequestStatus status, string? reason = null)
    {
        _reason = reason;
        _result = new RequestResult<TReply>(status, default, null);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
    }

    /// <summary>Ends it before anyone can await it.</summary>
    public void EndUnsent(RequestStatus status, string? reason = null)
    {
        _reason = reason;
        _core.SetResult(new RequestResult<TReply>(status, default, null));
    }

    /// <summary>Its end, on the thread pool: whoever waits for it goes on here.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        var result = _result;
        _result = default;
        _core.SetResult(result);
    }

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    RequestResult<TReply> IValueTaskSource<RequestResult<TReply>>.GetResult(short token) => Finish(token);

    TReply IValueTaskSource<TReply>.GetResult(short token)
    {
        _ = _core.GetStatus(token); // throws for a task that was awaited before, whose object may be another request's
        var reason = _reason;
        var result = Finish(token);
        return reason is null ? result.GetReply() : throw new RequestFailedException(result.Status, reason);
    }

    private RequestResult<TReply> Finish(short token)
    {
        var result = _core.GetResult(token);
        _cancellation.Dispose(); // waits for a cancellation that runs: afterwards nobody else has this object
        _cancellation = default;
        _owner = null;
        _reason = null;
        _core.Reset();
        s_spare.Add(this);
        return result;
    }

    private RequestResult<TReply> Read(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.Kind == MessageKind.Fault)
        {
            var fault = header.IsCompressed ? null : Fault.TryRead(payload);
            return new RequestResult<TReply>(fault is null ? RequestStatus.InvalidReply : RequestStatus.Faulted, default, fault);
        }

        try
        {
            if (header.Type == _replyType && _decoder.TryDecode(in header, payload, out var reply, out _))
                return new RequestResult<TReply>(RequestStatus.Replied, reply, null);
        }
        catch (Exception e)
        {
            _owner!.ReportFailure(header.Type, e); // a serializer that throws has no reply either, and its caller waits
        }

        return new RequestResult<TReply>(RequestStatus.InvalidReply, default, null);
    }

    private void Cancel() => _owner?.CancelRequest(this);
}
