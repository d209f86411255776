using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The request's task, used again and again. It goes back to its pool when its result is fetched.</summary>
internal sealed class PendingRequest<TReply> : PendingRequest, IThreadPoolWorkItem, IValueTaskSource<RequestResult<TReply>>, IValueTaskSource<TReply>
{
    /// <summary>The most that are spare: as many as some thousand peers have unanswered.</summary>
    private const int MaxSpare = 64 * 1024;

    private static readonly SharedInstancePool<PendingRequest<TReply>> s_spare = new(MaxSpare);

    // Runs continuations where its result is set. That is a work item of this object's own: the core would allocate one for each request.
    private ManualResetValueTaskSourceCore<RequestResult<TReply>> _core;
    private RequestResult<TReply> _result;
    private PayloadDecoder<TReply> _decoder = null!;
    private uint _replyType;
    private IRequestOwner? _owner;
    private CancellationTokenRegistration _cancellation;
    private bool _isCancelable;
    private int _stage;

    public ValueTask<TReply> ReplyTask => new(this, _core.Version);

    public ValueTask<RequestResult<TReply>> ResultTask => new(this, _core.Version);

    public static PendingRequest<TReply> Rent(IRequestOwner owner, MessageContract<TReply> contract, MessageLimits limits, CancellationToken cancellationToken)
    {
        var request = s_spare.TryRent(out var spare) ? spare : new PendingRequest<TReply>();
        request._isCancelable = cancellationToken.CanBeCanceled;
        request._owner = owner;
        if (request._decoder?.Contract != contract || request._decoder.Limits != limits)
            request._decoder = new PayloadDecoder<TReply>(contract, limits);
        request._replyType = contract.Type;
        return request;
    }

    /// <summary>Has the token end it. Before anyone can await it; the token may be canceled already.</summary>
    public void CancelBy(CancellationToken cancellationToken)
    {
        if (!cancellationToken.CanBeCanceled)
            return;
        _cancellation = cancellationToken.UnsafeRegister(static state => ((PendingRequest<TReply>)state!).Cancel(), this);
        if (Interlocked.CompareExchange(ref _stage, Stage.Registered, Stage.New) == Stage.Ended)
            _cancellation.Unregister(); // the request ended first
    }

    /// <summary>Goes back to the pool without ever having been awaited.</summary>
    public void Abandon()
    {
        _owner = null;
        _stage = Stage.New;
        s_spare.Return(this);
    }

    public override void End(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        _result = Read(in header, payload);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
    }

    public override void End(RequestStatus status, string? reason = null)
    {
        _result = MakeEnd(status, reason);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
    }

    /// <summary>Ends it before anyone can await it.</summary>
    public void EndUnsent(RequestStatus status, string? reason = null) => _core.SetResult(MakeEnd(status, reason));

    /// <summary>Its end, on the thread pool: whoever waits for it goes on here.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        // A program that does not await the request leaves it to the garbage collector, and the token's source must not keep it alive.
        // A callback that runs at this moment is not waited for here: Finish does that.
        if (_isCancelable && Interlocked.Exchange(ref _stage, Stage.Ended) == Stage.Registered)
            _cancellation.Unregister();
        var result = _result;
        _result = default;
        _core.SetResult(result);
    }

    public ValueTaskSourceStatus GetStatus(short token)
    {
        ThrowIfAwaited(token);
        return _core.GetStatus(token);
    }

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        ThrowIfAwaited(token);
        _core.OnCompleted(continuation, state, token, flags);
    }

    RequestResult<TReply> IValueTaskSource<RequestResult<TReply>>.GetResult(short token) => Finish(token);

    TReply IValueTaskSource<TReply>.GetResult(short token) => Finish(token).GetReply();

    private RequestResult<TReply> Finish(short token)
    {
        ThrowIfAwaited(token);
        var result = _core.GetResult(token);
        _cancellation.Dispose(); // waits for a cancellation that runs: afterwards nobody else has this object
        _cancellation = default;
        _owner = null;
        _stage = Stage.New;
        _core.Reset();
        s_spare.Return(this);
        return result;
    }

    private RequestResult<TReply> Read(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.Kind == MessageKind.Fault)
        {
            var fault = header.IsCompressed ? null : Fault.TryRead(payload);
            return new RequestResult<TReply>(fault is null ? RequestStatus.InvalidReply : RequestStatus.Faulted, default, fault);
        }

        if (header.Type != _replyType)
        {
            return new RequestResult<TReply>(RequestStatus.InvalidReply, default, null)
            {
                Detail = RequestFailedException.Describe(
                    RequestStatus.InvalidReply,
                    $"The reply has the message id {header.Type} and the expected reply is {typeof(TReply)} (id {_replyType})."),
            };
        }

        try
        {
            if (_decoder.TryDecode(in header, payload, out var reply, out _))
                return new RequestResult<TReply>(RequestStatus.Replied, reply, null);
        }
        catch (Exception e)
        {
            _owner!.ReportFailure(header.Type, e); // a serializer that throws has no reply either, and its caller waits
        }

        return new RequestResult<TReply>(RequestStatus.InvalidReply, default, null);
    }

    private RequestResult<TReply> MakeEnd(RequestStatus status, string? reason)
    {
        if (reason is null && status is (RequestStatus.Disconnected or RequestStatus.NotSent) && _owner?.DescribeEnd() is { } cause)
            reason = RequestFailedException.Describe(status, cause);
        return new RequestResult<TReply>(status, default, null) { Detail = reason };
    }

    private void ThrowIfAwaited(short token)
    {
        if (token != _core.Version)
            ThrowAwaited();
    }

    private static void ThrowAwaited() => throw new InvalidOperationException(
        "This request was already awaited. Await the ValueTask of a request once, or call AsTask() on it once and await that Task.");

    private void Cancel() => _owner?.CancelRequest(this);

    private static class Stage
    {
        public const int New = 0;
        public const int Registered = 1;
        public const int Ended = 2;
    }
}
