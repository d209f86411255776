using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Polyfills;

/// <summary>A call of an async method that waits. The object is reused when its result has been read.</summary>
/// <remarks>It does not carry an execution context from before a wait to after it. The methods that are built with it do not depend on one; the async methods of the program carry their own.</remarks>
internal abstract class PooledCall<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<TResult> _core;

    protected PooledCall() => Continue = MoveNext;

    /// <summary>Runs the method up to its next wait.</summary>
    public Action Continue { get; }

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
