using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

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
