using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Quiet]
public sealed class PooledAsyncTests
{
    [Fact]
    public void A_message_is_its_handlers_until_that_has_completed() => Uncollected.Run(static () =>
    {
        var gate = new TaskCompletionSource();
        Notification? seen = null;
        var dispatcher = MakeDispatcher(async message =>
        {
            seen = message;
            await gate.Task;
            Assert.Equal(7u, message.Id);
        });
        var running = Dispatch(dispatcher);
        Assert.Equal(0, InstancePool<Notification>.Spare);
        Assert.Equal(7u, seen!.Id);

        gate.SetResult(); // runs the rest of the handler here, and so gives back here
        Assert.Equal(DispatchStatus.Handled, running.GetAwaiter().GetResult());
        Assert.Equal(1, InstancePool<Notification>.Spare);
        Assert.Equal(0u, seen.Id);
    });

    [Fact]
    public void A_handler_that_completes_at_once_gives_its_message_back_at_once() => Uncollected.Run(static () =>
    {
        var dispatcher = MakeDispatcher(static _ => Task.CompletedTask);
        Assert.Equal(DispatchStatus.Handled, Dispatch(dispatcher).GetAwaiter().GetResult());
        Assert.Equal(1, InstancePool<Notification>.Spare);
    });

    [Fact]
    public void A_handler_that_fails_keeps_its_message() => Uncollected.Run(static () =>
    {
        var gate = new TaskCompletionSource();
        var dispatcher = MakeDispatcher(_ => gate.Task);
        var running = Dispatch(dispatcher);
        gate.SetException(new InvalidOperationException("on purpose"));
        Assert.Throws<InvalidOperationException>(() => running.GetAwaiter().GetResult());
        Assert.Equal(0, InstancePool<Notification>.Spare);

        dispatcher = MakeDispatcher(static _ => throw new InvalidOperationException("on purpose"));
        Assert.Throws<InvalidOperationException>(() => Dispatch(dispatcher).GetAwaiter().GetResult());
        Assert.Equal(0, InstancePool<Notification>.Spare);
    });

    private static Task<DispatchStatus> Dispatch(MessageDispatcher<int> dispatcher)
    {
        using var packed = new MessageWriter().Pack(new Notification { Id = 7 });
        return dispatcher.DispatchAsync(packed.Span, 0).AsTask();
    }

    private static MessageDispatcher<int> MakeDispatcher(Func<Notification, Task> handler)
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(MessageContract.GetDeclared<Notification>(), (Notification message, int state, CancellationToken token) => new ValueTask(handler(message)));
        return dispatcher;
    }
}
