using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks.Sources;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>A request that waits for its reply in a <see cref="RequestTable"/>. The code that takes the request out of the table ends it, once. For authors of hosts.</summary>
public abstract class PendingRequest
{
    private protected PendingRequest()
    {
    }

    /// <summary>The correlation id.</summary>
    public uint Id { get; internal set; }

    /// <summary>The time at which the request times out, in <c>Environment.TickCount64</c>.</summary>
    internal long Deadline;

    /// <summary>The time from the start of the request to <see cref="Deadline"/>.</summary>
    internal TimeSpan Timeout;

    /// <summary>Counts the end of the request; <c>null</c> if it is not counted.</summary>
    internal Counters<RequestStatus>? EndCounts;

    /// <summary>The type of the expected reply.</summary>
    internal uint ReplyType;

    /// <summary>The next request of a <see cref="RequestChain"/>, which alone uses the field.</summary>
    internal PendingRequest? Next;

    /// <summary>Ends the request with a received reply or fault. The request's continuation runs on this thread only if the table allows synchronous continuations.</summary>
    /// <param name="header">The header of the reply or fault.</param>
    /// <param name="payload">The payload. It is not used after the call.</param>
    public abstract void End(in MessageHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Ends the request without a reply. The request's continuation does not run on this thread.</summary>
    /// <param name="status">The status of the request.</param>
    /// <param name="reason">The text of the exception; <see langword="null"/> for the default text of the status.</param>
    public abstract void End(RequestStatus status, string? reason = null);

    /// <summary>Stores the result of a received reply or fault. <see cref="Complete"/> ends the request.</summary>
    /// <param name="header">The header of the reply or fault.</param>
    /// <param name="payload">The payload. It is not used after the call.</param>
    internal abstract void SetReply(in MessageHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Completes the task with the stored result, and counts the end: every request that its caller awaits ends here. Continuations run in this call.</summary>
    internal abstract void Complete();
}

/// <summary>A request that waits for a reply of one type, and its task. Pooled: do not use it after its result was fetched. For authors of hosts.</summary>
/// <typeparam name="TReply">The reply.</typeparam>
public sealed class PendingRequest<TReply> : PendingRequest, IValueTaskSource<RequestResult<TReply>>, IValueTaskSource<TReply>
{
    /// <summary>The maximum number of pooled objects, sufficient for the unanswered requests of about a thousand peers.</summary>
    private const int MaxSpare = 64 * 1024;

    /// <summary>The number of objects that a thread gives to the pool or takes from it at once. The thread keeps fewer than twice as many.</summary>
    private const int Batch = 16;

    private static readonly SharedInstancePool<PendingRequest<TReply>> s_spare = new(MaxSpare / Batch); // of batches, linked by _below

    [ThreadStatic]
    private static PendingRequest<TReply>? t_spare; // the objects of this thread, linked by _below: most programs send and await on the same threads

    private static PayloadDecoder<TReply>? s_decoder; // that of the last request

    private ManualResetValueTaskSourceCore<bool> _core; // only the state: the result is in _result. Runs continuations on the thread that sets the result.
    private RequestResult<TReply> _result;
    private PayloadDecoder<TReply> _decoder = null!;
    private IRequestOwner? _owner;
    private CancellationTokenRegistration _cancellation;
    private bool _isCancelable;
    private RequestTable _table = null!;
    private int _stage;
    private MessageOperation? _operation;
    private PendingRequest<TReply>? _below; // in a stack of spare objects
    private int _depth; // the number of objects of the stack down from this one

    private PendingRequest()
    {
    }

    /// <summary>The reply, or the exception that describes the failure. Await either this task or <see cref="ResultTask"/>, once.</summary>
    public ValueTask<TReply> ReplyTask => new(this, _core.Version);

    /// <summary>The reply, or the status that describes the failure. Await either this task or <see cref="ReplyTask"/>, once.</summary>
    public ValueTask<RequestResult<TReply>> ResultTask => new(this, _core.Version);

    internal static PendingRequest<TReply> Rent(IRequestOwner owner, RequestTable table, MessageContract<TReply> contract, MessageLimits limits, MessageOperation? operation, CancellationToken cancellationToken)
    {
        var request = t_spare;
        if (request is null && !s_spare.TryRent(out request))
            request = new PendingRequest<TReply>();
        t_spare = request._below;
        request._below = null;
        request._isCancelable = cancellationToken.CanBeCanceled;
        request._table = table;
        request._owner = owner;
        request._operation = operation;
        if (!IsFor(request._decoder, contract, limits))
            request._decoder = IsFor(s_decoder, contract, limits) ? s_decoder : s_decoder = new PayloadDecoder<TReply>(contract, limits);
        request.ReplyType = contract.Type;
        return request;
    }

    /// <summary>Ends the request when a token is canceled. Call it after sending and before the caller gets the task. The token may be canceled already.</summary>
    /// <param name="cancellationToken">The token that was passed to <see cref="RequestTable.TryBegin"/>.</param>
    public void CancelBy(CancellationToken cancellationToken)
    {
        if (!cancellationToken.CanBeCanceled)
            return;
        _cancellation = cancellationToken.UnsafeRegister(static state => ((PendingRequest<TReply>)state!).Cancel(), this);
        if (Interlocked.CompareExchange(ref _stage, Stage.Registered, Stage.New) == Stage.Ended)
            _cancellation.Unregister(); // the request ended first
    }

    /// <summary>Returns the request to its pool. The caller has taken it out of the table, and no code awaits it.</summary>
    public void Abandon()
    {
        EndOperation(RequestStatus.NotSent, null);
        Return();
    }

    /// <inheritdoc/>
    public override void End(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        SetReply(in header, payload);
        _table.Complete(RequestChain.Of(this));
    }

    /// <inheritdoc/>
    public override void End(RequestStatus status, string? reason = null)
    {
        _result = MakeEnd(status, reason);
        _table.CompleteLater(this);
    }

    /// <summary>Ends the request before the caller gets its task.</summary>
    /// <param name="status">The status of the request.</param>
    /// <param name="reason">The text of the exception; <see langword="null"/> for the default text of the status.</param>
    public void EndUnsent(RequestStatus status, string? reason = null)
    {
        _result = MakeEnd(status, reason);
        Complete();
    }

    /// <inheritdoc/>
    internal override void SetReply(in MessageHeader header, ReadOnlySpan<byte> payload) => _result = Read(in header, payload);

    /// <inheritdoc/>
    internal override void Complete()
    {
        // If a program does not await the request, the garbage collector frees it. The token's source must not keep it alive.
        // A callback that currently runs is not awaited here. Finish awaits it.
        if (_isCancelable && Interlocked.Exchange(ref _stage, Stage.Ended) == Stage.Registered)
            _cancellation.Unregister();
        if (_operation is not null)
            EndOperation(_result.Status, _result.Fault);
        if (_result.Status != RequestStatus.Replied)
            EndCounts?.Add(_result.Status);
        _core.SetResult(true);
    }

    ValueTaskSourceStatus IValueTaskSource<RequestResult<TReply>>.GetStatus(short token) => GetStatus(token);

    // Unless the request was replied, GetResult throws. A task that is not awaited must not be a successful one then.
    ValueTaskSourceStatus IValueTaskSource<TReply>.GetStatus(short token) => GetStatus(token) == ValueTaskSourceStatus.Pending
        ? ValueTaskSourceStatus.Pending
        : _result.Status switch
        {
            RequestStatus.Replied => ValueTaskSourceStatus.Succeeded,
            RequestStatus.Canceled => ValueTaskSourceStatus.Canceled,
            _ => ValueTaskSourceStatus.Faulted,
        };

    void IValueTaskSource<RequestResult<TReply>>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<TReply>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnCompleted(continuation, state, token, flags);

    RequestResult<TReply> IValueTaskSource<RequestResult<TReply>>.GetResult(short token) => Finish(token);

    TReply IValueTaskSource<TReply>.GetResult(short token) => Finish(token).GetReply();

    private ValueTaskSourceStatus GetStatus(short token)
    {
        ThrowIfAwaited(token);
        return _core.GetStatus(token);
    }

    private void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        ThrowIfAwaited(token);
        _core.OnCompleted(continuation, state, token, flags);
    }

    private RequestResult<TReply> Finish(short token)
    {
        ThrowIfAwaited(token);
        _core.GetResult(token);
        _cancellation.Dispose(); // waits for a running cancellation callback; afterwards no other code uses this object
        _cancellation = default;
        _core.Reset();
        var result = _result;
        _result = default;
        Return();
        return result;
    }

    private static bool IsFor([NotNullWhen(true)] PayloadDecoder<TReply>? decoder, MessageContract<TReply> contract, MessageLimits limits) =>
        decoder is not null && decoder.Contract == contract && decoder.Limits == limits;

    private void Return()
    {
        _owner = null;
        _table = null!;
        _stage = Stage.New;
        _below = t_spare;
        _depth = _below is { } below ? below._depth + 1 : 1;
        t_spare = _depth < 2 * Batch ? this : GiveBatch();
    }

    /// <summary>Gives this object and those below it to the pool, as many as a batch has.</summary>
    /// <returns>The rest of the stack.</returns>
    private PendingRequest<TReply>? GiveBatch()
    {
        var last = this;
        for (var depth = Batch; depth > 1; depth--)
        {
            last._depth = depth;
            last = last._below!;
        }

        last._depth = 1;
        var rest = last._below;
        last._below = null;
        s_spare.Return(this);
        return rest;
    }

    private RequestResult<TReply> Read(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.Kind == MessageKind.Fault)
        {
            var fault = header.IsCompressed ? null : Fault.TryRead(payload);
            return new RequestResult<TReply>(fault is null ? RequestStatus.InvalidReply : RequestStatus.Faulted, default, fault);
        }

        if (header.Type != ReplyType)
        {
            return new RequestResult<TReply>(RequestStatus.InvalidReply, default, null)
            {
                Detail = RequestFailedException.Describe(
                    RequestStatus.InvalidReply,
                    $"The remote side replied with {Describe(header.Type, "a message")}; the expected reply is {Describe(ReplyType, typeof(TReply).ToString())}."),
            };
        }

        var status = DispatchStatus.InvalidPayload; // of a serializer that throws
        try
        {
            if (_decoder.TryDecode(in header, payload, out var reply, out status))
                return new RequestResult<TReply>(RequestStatus.Replied, reply, null);
        }
        catch (Exception e)
        {
            _owner!.ReportFailure(header.Type, e); // a serializer that throws also ends the request without a reply
        }

        return new RequestResult<TReply>(RequestStatus.InvalidReply, default, null)
        {
            Detail = RequestFailedException.Describe(RequestStatus.InvalidReply, "The reply " + Fault.DescribeUnreadable(typeof(TReply).ToString(), ReplyType, status)),
        };
    }

    private static string Describe(uint type, string name) => type == LibraryTypes.StreamOpened ? "a stream of items (StreamAsync)" : $"{name} (id {type})";

    private void EndOperation(RequestStatus status, RequestFaultException? fault)
    {
        _operation?.End(status == RequestStatus.Replied ? null : status.ToString(), fault is null ? null : $"{fault.Code}: {fault.Message}");
        _operation = null;
    }

    private RequestResult<TReply> MakeEnd(RequestStatus status, string? reason)
    {
        if (reason is null && status is (RequestStatus.Disconnected or RequestStatus.NotSent) && _owner?.DescribeEnd() is { } cause)
            reason = RequestFailedException.Describe(status, cause);
        if (status == RequestStatus.TimedOut)
            return RequestResult<TReply>.TimedOutAfter(Timeout);
        return new RequestResult<TReply>(status, default, null) { Detail = reason };
    }

    private void ThrowIfAwaited(short token)
    {
        if (token != _core.Version)
            ThrowAwaited();
    }

    private static void ThrowAwaited() => throw new InvalidOperationException(
        "This request was already awaited. Await its ValueTask once, or call AsTask() once and await that Task.");

    private void Cancel() => _owner?.CancelRequest(this);

    private static class Stage
    {
        public const int New = 0;
        public const int Registered = 1;
        public const int Ended = 2;
    }
}
