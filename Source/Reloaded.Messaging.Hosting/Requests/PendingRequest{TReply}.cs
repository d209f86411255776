using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Dispatching;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.Requests;

/// <summary>The request's task, used again and again. It goes back to its pool when its result is fetched.</summary>
internal sealed class PendingRequest<TReply> : PendingRequest, IValueTaskSource<RequestResult<TReply>>, IValueTaskSource<TReply>
{
    private static readonly SpareRequests<TReply> s_spare = new();

    private ManualResetValueTaskSourceCore<RequestResult<TReply>> _core = new() { RunContinuationsAsynchronously = true };
    private PayloadDecoder<TReply> _decoder = null!;
    private uint _replyType;
    private Peer? _peer;
    private CancellationTokenRegistration _cancellation;

    public ValueTask<TReply> ReplyTask => new(this, _core.Version);

    public ValueTask<RequestResult<TReply>> ResultTask => new(this, _core.Version);

    public static PendingRequest<TReply> Rent(Peer peer, MessageContract<TReply> contract, MessageLimits limits)
    {
        var request = s_spare.TryTake() ?? new PendingRequest<TReply>();
        request._peer = peer;
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
        _peer = null;
        s_spare.Add(this);
    }

    public override void End(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.Kind == MessageKind.Fault)
        {
            var fault = Fault.TryRead(payload);
            _core.SetResult(new RequestResult<TReply>(fault is null ? RequestStatus.InvalidReply : RequestStatus.Faulted, default, fault));
            return;
        }

        var status = RequestStatus.InvalidReply;
        TReply? reply = default;
        if (header.Type == _replyType && _decoder.TryDecode(in header, payload, out reply, out _))
            status = RequestStatus.Replied;
        _core.SetResult(new RequestResult<TReply>(status, reply, null));
    }

    public override void End(RequestStatus status) => _core.SetResult(new RequestResult<TReply>(status, default, null));

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    RequestResult<TReply> IValueTaskSource<RequestResult<TReply>>.GetResult(short token) => Finish(token);

    TReply IValueTaskSource<TReply>.GetResult(short token) => Finish(token).GetReply();

    private RequestResult<TReply> Finish(short token)
    {
        var result = _core.GetResult(token);
        _cancellation.Dispose(); // waits for a cancellation that runs: afterwards nobody else has this object
        _cancellation = default;
        _peer = null;
        _core.Reset();
        s_spare.Add(this);
        return result;
    }

    private void Cancel() => _peer?.CancelRequest(this);
}
