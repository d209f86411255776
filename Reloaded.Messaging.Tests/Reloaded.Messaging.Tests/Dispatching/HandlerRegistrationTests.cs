using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

public sealed class HandlerRegistrationTests : IDisposable
{
    private readonly MessageDispatcher<int> _tracking = new(trackRunningHandlers: true);
    private readonly MessageContract<Point> _contract = Given.Points(3);
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ManualResetEventSlim _leave = new();

    public void Dispose() => _leave.Dispose();

    [Theory]
    [InlineData(3u)]
    [InlineData(300u)]
    public async Task DisposeAsync_waits_for_a_synchronous_handler_on_another_thread(uint type)
    {
        var contract = Given.Points(type);
        var returned = false;
        var handle = _tracking.Register(contract, (in Point _, ref int _) =>
        {
            _entered.SetResult();
            _leave.WaitInTime();
            Volatile.Write(ref returned, true);
        });
        var dispatching = Deadline.RunAside(() => _tracking.Dispatch(Given.Packed(contract, default)));
        await _entered.Task.InTime();

        var disposing = handle.DisposeAsync().AsTask();
        Assert.False(disposing.IsCompleted);
        Assert.Equal(DispatchStatus.NoHandler, _tracking.Dispatch(Given.Packed(contract, default)));
        _leave.Set();

        await disposing.InTime();
        Assert.True(Volatile.Read(ref returned));
        Assert.Equal(DispatchStatus.Handled, await dispatching.InTime());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DisposeAsync_waits_for_an_asynchronous_handler_to_its_end(bool faults)
    {
        var gate = new TaskCompletionSource();
        var returned = false;
        var handle = _tracking.Register(_contract, async (_, _, _) =>
        {
            await gate.Task;
            returned = true;
            if (faults)
                throw new InvalidTimeZoneException();
        });
        var running = _tracking.DispatchAsync(Given.Packed(_contract, default));
        var second = _tracking.DispatchAsync(Given.Packed(_contract, default));

        var disposing = handle.DisposeAsync().AsTask();
        Assert.False(disposing.IsCompleted);
        Assert.Equal(DispatchStatus.NoHandler, await _tracking.DispatchAsync(Given.Packed(_contract, default)));
        gate.SetResult();

        await disposing.InTime();
        Assert.True(returned);
        foreach (var call in new[] { running, second })
        {
            if (faults)
                await Assert.ThrowsAsync<InvalidTimeZoneException>(() => call.InTime());
            else
                Assert.Equal(DispatchStatus.Handled, await call.InTime());
        }
    }

    [Fact]
    public async Task DisposeAsync_waits_for_a_running_fallback()
    {
        var handle = _tracking.RegisterFallback((in MessageHeader _, ReadOnlySpan<byte> _, ref int _) =>
        {
            _entered.SetResult();
            _leave.WaitInTime();
        });
        var dispatching = Deadline.RunAside(() => _tracking.Dispatch([3]));
        await _entered.Task.InTime();

        var disposing = handle.DisposeAsync().AsTask();
        Assert.False(disposing.IsCompleted);
        Assert.Equal(DispatchStatus.NoHandler, _tracking.Dispatch([3]));
        _leave.Set();

        await disposing.InTime();
        Assert.Equal(DispatchStatus.HandledByFallback, await dispatching.InTime());
    }

    [Fact]
    public async Task DisposeAsync_is_done_at_once_when_nothing_runs_even_after_a_handler_threw()
    {
        var handle = _tracking.Register(_contract, static (in Point _, ref int _) => throw new InvalidTimeZoneException());
        Assert.Throws<InvalidTimeZoneException>(() => _tracking.Dispatch(Given.Packed(_contract, default)));
        var asynchronous = _tracking.Register(Given.Degrees(4), static (_, _, _) => throw new InvalidTimeZoneException());
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => _tracking.DispatchAsync(Given.Packed(Given.Degrees(4), default)));

        Assert.True(handle.DisposeAsync().AsTask().IsCompletedSuccessfully);
        Assert.True(handle.DisposeAsync().AsTask().IsCompletedSuccessfully);
        Assert.True(asynchronous.DisposeAsync().AsTask().IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Every_DisposeAsync_waits_and_so_does_one_after_a_plain_Dispose()
    {
        var handle = _tracking.Register(_contract, (in Point _, ref int _) =>
        {
            _entered.SetResult();
            _leave.WaitInTime();
        });
        var dispatching = Deadline.RunAside(() => _tracking.Dispatch(Given.Packed(_contract, default)));
        await _entered.Task.InTime();

        handle.Dispose();
        var first = handle.DisposeAsync().AsTask();
        var second = handle.DisposeAsync().AsTask();
        Assert.False(first.IsCompleted);
        Assert.False(second.IsCompleted);
        _leave.Set();

        await Task.WhenAll(first, second, dispatching).InTime();
    }

    [Fact]
    public async Task DisposeAsync_of_a_replaced_registration_waits_for_its_own_calls_and_leaves_the_new_one()
    {
        var old = _tracking.Register(_contract, (in Point _, ref int _) =>
        {
            _entered.SetResult();
            _leave.WaitInTime();
        });
        var dispatching = Deadline.RunAside(() => _tracking.Dispatch(Given.Packed(_contract, default)));
        await _entered.Task.InTime();
        _tracking.Register(_contract, static (in Point _, ref int _) => { }, DuplicateHandlerBehavior.Replace);

        var disposing = old.DisposeAsync().AsTask();
        Assert.False(disposing.IsCompleted);
        _leave.Set();

        await disposing.InTime();
        await dispatching.InTime();
        Assert.Equal(DispatchStatus.Handled, _tracking.Dispatch(Given.Packed(_contract, default)));
    }

    [Fact]
    public async Task DisposeAsync_without_tracking_removes_the_handler_and_throws()
    {
        var dispatcher = new MessageDispatcher<int>();
        var handle = dispatcher.Register(_contract, static (in Point _, ref int _) => { });

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => handle.DisposeAsync().AsTask());

        Assert.Contains("trackRunningHandlers", error.Message, StringComparison.Ordinal);
        Assert.Equal(DispatchStatus.NoHandler, dispatcher.Dispatch(Given.Packed(_contract, default)));
    }

    [Fact]
    public async Task A_second_Dispose_returns_only_when_the_handler_is_removed()
    {
        var gate = new object();
        var removed = false;
        var handle = new HandlerRegistration(
            () =>
            {
                lock (gate)
                {
                    _entered.TrySetResult();
                    _leave.WaitInTime();
                    Volatile.Write(ref removed, true);
                }
            });
        var first = Deadline.RunAside(handle.Dispose);
        await _entered.Task.InTime();

        var removedAtReturn = false;
        var second = new Thread(() =>
        {
            handle.Dispose();
            removedAtReturn = Volatile.Read(ref removed);
        });
        second.Start();
        Assert.True(SpinWait.SpinUntil(() => (second.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0, Deadline.Length));
        _leave.Set();

        await first.InTime();
        Assert.True(second.Join(Deadline.Length));
        Assert.True(removedAtReturn);
    }
}
