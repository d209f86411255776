using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

#pragma warning disable CA1822 // the members that the compiler requires of a builder
namespace Reloaded.Messaging.Polyfills;

/// <summary>Builds async methods whose calls that wait reuse their objects. Replaces the builder of newer targets; the builders of Mono allocate at each wait.</summary>
internal struct PoolingAsyncValueTaskMethodBuilder<TResult>
{
    private PooledCall<TResult>? _call;
    private Task<TResult>? _failed;
    private TResult _result;

    public readonly ValueTask<TResult> Task =>
        _call is not null ? new ValueTask<TResult>(_call, _call.Version)
        : _failed is not null ? new ValueTask<TResult>(_failed)
        : new ValueTask<TResult>(_result);

    /// <summary>The same task without its result.</summary>
    internal readonly ValueTask VoidTask =>
        _call is not null ? new ValueTask(_call, _call.Version)
        : _failed is not null ? new ValueTask(_failed)
        : default;

    public static PoolingAsyncValueTaskMethodBuilder<TResult> Create() => default;

    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine => default(AsyncValueTaskMethodBuilder).Start(ref stateMachine); // restores the context of the caller

    public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
    {
        // Called only for state machines that the runtime boxes.
    }

    public void SetResult(TResult result)
    {
        if (_call is null)
            _result = result;
        else
            _call.SetResult(result);
    }

    public void SetException(Exception exception)
    {
        if (_call is not null)
            _call.SetException(exception);
        else
            _failed = exception is OperationCanceledException { CancellationToken: { IsCancellationRequested: true } token }
                ? System.Threading.Tasks.Task.FromCanceled<TResult>(token)
                : System.Threading.Tasks.Task.FromException<TResult>(exception);
    }

    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine => awaiter.OnCompleted(CallOf(ref stateMachine).Continue);

    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine => awaiter.UnsafeOnCompleted(CallOf(ref stateMachine).Continue);

    private PooledCall<TResult> CallOf<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine
    {
        if (_call is not null)
            return _call;
        var call = PooledCall<TStateMachine, TResult>.Rent();
        _call = call; // this builder is a field of the state machine, so it is set before the state machine is copied
        call.Begin(in stateMachine);
        return call;
    }
}

/// <inheritdoc cref="PoolingAsyncValueTaskMethodBuilder{TResult}"/>
internal struct PoolingAsyncValueTaskMethodBuilder
{
    private PoolingAsyncValueTaskMethodBuilder<bool> _inner;

    public readonly ValueTask Task => _inner.VoidTask;

    public static PoolingAsyncValueTaskMethodBuilder Create() => default;

    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine => _inner.Start(ref stateMachine);

    public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
    {
        // Called only for state machines that the runtime boxes.
    }

    public void SetResult() => _inner.SetResult(true);

    public void SetException(Exception exception) => _inner.SetException(exception);

    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine => _inner.AwaitOnCompleted(ref awaiter, ref stateMachine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine => _inner.AwaitUnsafeOnCompleted(ref awaiter, ref stateMachine);
}

/// <summary>A call of an async method that waits. The object is reused when its result has been read.</summary>
/// <remarks>It does not carry an execution context from before a wait to after it. The methods that are built with it do not depend on one; the async methods of the program carry their own.</remarks>
internal abstract class PooledCall<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;

    protected PooledCall() => Continue = MoveNext;

    /// <summary>Runs the method up to its next wait.</summary>
    public readonly Action Continue;

    public short Version => _core.Version;

    public void SetResult(TResult result) => _core.SetResult(result);

    public void SetException(Exception exception) => _core.SetException(exception);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    public TResult GetResult(short token)
    {
        if (token != _core.Version)
            return _core.GetResult(token); // throws: the call was awaited twice, and the object may serve another call
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _core.Reset();
            Return();
        }
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    protected abstract void MoveNext();

    /// <summary>Makes the object available to another call.</summary>
    protected abstract void Return();
}

/// <summary>The calls of one async method.</summary>
internal sealed class PooledCall<TStateMachine, TResult> : PooledCall<TResult>
    where TStateMachine : IAsyncStateMachine
{
    private static readonly PooledCall<TStateMachine, TResult>?[] s_unused = new PooledCall<TStateMachine, TResult>?[16];

    private TStateMachine _stateMachine = default!;

    public static PooledCall<TStateMachine, TResult> Rent()
    {
        for (var i = 0; i < s_unused.Length; i++)
        {
            if (s_unused[i] is not null && Interlocked.Exchange(ref s_unused[i], null) is { } unused)
                return unused;
        }

        return new PooledCall<TStateMachine, TResult>();
    }

    public void Begin(in TStateMachine stateMachine) => _stateMachine = stateMachine;

    protected override void MoveNext() => _stateMachine.MoveNext();

    protected override void Return()
    {
        _stateMachine = default!; // the arguments of the call
        for (var i = 0; i < s_unused.Length; i++)
        {
            if (s_unused[i] is null && Interlocked.CompareExchange(ref s_unused[i], this, null) is null)
                return;
        }
    }
}
