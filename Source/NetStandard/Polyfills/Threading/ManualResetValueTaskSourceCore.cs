using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging;

/// <summary>Replaces the type of the framework, and is in this namespace so that it takes precedence over the imported one. In the one of Mono 6.8, a thread that completes a task may run the continuation of the next task of the same object.</summary>
/// <remarks>There, the status is "completed" before the completing thread has looked for a continuation. The object may then be reset and awaited again. Here, the status changes when that thread needs the object no more.</remarks>
[StructLayout(LayoutKind.Auto)]
internal struct ManualResetValueTaskSourceCore<TResult>
{
    private static readonly Action<object?> s_completed = static _ => throw new InvalidOperationException("This marks a completed task and is never called.");

    private Action<object?>? _continuation;
    private object? _state;
    private object? _context; // a SynchronizationContext, a TaskScheduler, or null for the thread pool
    private ExecutionContext? _execution;
    private ExceptionDispatchInfo? _error;
    private TResult _result;
    private bool _isCompleted;

    /// <summary>Whether continuations never run on the thread that completes the task.</summary>
    public bool RunContinuationsAsynchronously;

    public short Version { readonly get; private set; }

    public void Reset()
    {
        Version++;
        (_continuation, _state, _context, _execution, _error, _result, _isCompleted) = (null, null, null, null, null, default!, false);
    }

    public void SetResult(TResult result)
    {
        _result = result;
        Complete();
    }

    public void SetException(Exception error)
    {
        _error = ExceptionDispatchInfo.Capture(error);
        Complete();
    }

    public ValueTaskSourceStatus GetStatus(short token)
    {
        Check(token);
        // Acquire: the state and the result are read after the continuation.
        return Volatile.Read(ref _continuation) is null || !_isCompleted ? ValueTaskSourceStatus.Pending
            : _error is null ? ValueTaskSourceStatus.Succeeded
            : _error.SourceException is OperationCanceledException ? ValueTaskSourceStatus.Canceled
            : ValueTaskSourceStatus.Faulted;
    }

    public readonly TResult GetResult(short token)
    {
        Check(token);
        if (!_isCompleted)
            throw new InvalidOperationException("The task has not completed. Await it.");
        _error?.Throw();
        return _result;
    }

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        Check(token);
        if ((flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0)
            _execution = ExecutionContext.Capture();
        if ((flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != 0)
            _context = GetContext();
        _state = state;
        var earlier = Interlocked.CompareExchange(ref _continuation, continuation, null);
        if (earlier is null)
            return;
        if (earlier != s_completed)
            throw new InvalidOperationException("The task is already awaited. Await it only once.");
        Run(continuation, state, _context, _execution, isAsynchronous: true); // the task was completed since its status was read
    }

    private static object? GetContext()
    {
        if (SynchronizationContext.Current is { } context && context.GetType() != typeof(SynchronizationContext))
            return context;
        return TaskScheduler.Current is var scheduler && scheduler != TaskScheduler.Default ? scheduler : null;
    }

    private static void Run(Action<object?> continuation, object? state, object? context, ExecutionContext? execution, bool isAsynchronous)
    {
        if (execution is not null)
        {
            ExecutionContext.Run(
                execution,
                static call =>
                {
                    var (continuation, state, context, isAsynchronous) = ((Action<object?>, object?, object?, bool))call!;
                    Run(continuation, state, context, isAsynchronous, flows: true);
                },
                (continuation, state, context, isAsynchronous));
            return;
        }

        Run(continuation, state, context, isAsynchronous, flows: false);
    }

    private static void Run(Action<object?> continuation, object? state, object? context, bool isAsynchronous, bool flows)
    {
        switch (context)
        {
            case SynchronizationContext synchronization:
                synchronization.Post(
                    static call =>
                    {
                        var (continuation, state) = ((Action<object?>, object?))call!;
                        continuation(state);
                    },
                    (continuation, state));
                break;
            case TaskScheduler scheduler:
                _ = Task.Factory.StartNew(continuation, state, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
                break;
            case null when !isAsynchronous:
                continuation(state);
                break;
            case null when flows:
                ThreadPool.QueueUserWorkItem(new WaitCallback(continuation), state);
                break;
            default:
                WorkQueue.Add(continuation, state);
                break;
        }
    }

    private readonly void Check(short token)
    {
        if (token != Version)
            throw new InvalidOperationException("The result of the task was already read. Await a task only once.");
    }

    private void Complete()
    {
        if (_isCompleted)
            throw new InvalidOperationException("The task was already completed.");
        _isCompleted = true;
        var continuation = Volatile.Read(ref _continuation) ?? Interlocked.CompareExchange(ref _continuation, s_completed, null);
        if (continuation is not null) // its state and its context are read after it
            Run(continuation, _state, _context, _execution, RunContinuationsAsynchronously);
    }
}
