using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>What a wait that has stopped keeps alive, and what keeps it alive.</summary>
public sealed class ReceiveWaitTests
{
    private readonly object _gate = new();

    [Fact]
    public async Task Stopped_wait_keeps_nothing_that_was_registered_at_its_canceled_token()
    {
        var wait = NewWait();
        var registered = await CancelAsync(wait);

        wait.Stop();

        await Signal.UntilAsync(() => !IsAliveAfterCollection(registered));
        GC.KeepAlive(wait);
    }

    [Fact]
    public async Task Token_keeps_no_wait_that_was_stopped_before_its_task_was_taken()
    {
        using var cancellation = new CancellationTokenSource();
        var wait = StopBeforeTask(cancellation.Token);

        await Signal.UntilAsync(() => !IsAliveAfterCollection(wait));
        await cancellation.CancelAsync();
    }

    private static bool IsAliveAfterCollection(WeakReference reference)
    {
        GC.Collect();
        return reference.IsAlive;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task<WeakReference> CancelAsync(ReceiveWait<bool> wait)
    {
        using var cancellation = new CancellationTokenSource();
        var state = new object();
        cancellation.Token.Register(static _ => { }, state);
        Begin(wait, cancellation.Token);
        var ended = wait.AsVoidTask().AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ended);
        return new WeakReference(state);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference StopBeforeTask(CancellationToken cancellationToken)
    {
        var wait = NewWait();
        Begin(wait, cancellationToken);
        lock (_gate)
            Assert.True(wait.TryTake());
        wait.SetResult(true);
        wait.Stop();
        Assert.True(wait.AsVoidTask().AsTask().IsCompletedSuccessfully);
        return new WeakReference(wait);
    }

    private ReceiveWait<bool> NewWait() => new(_gate) { KeepsRegistration = true };

    private void Begin(ReceiveWait<bool> wait, CancellationToken cancellationToken)
    {
        lock (_gate)
            wait.Begin(cancellationToken);
    }
}
