using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>Handlers come and go while two threads dispatch.</summary>
public sealed class ConcurrentRegistrationTests
{
    private const int Changes = 3000;
    private readonly MessageContract<Point> _points = Given.Points(3);
    private readonly MessageContract<Celsius> _degrees = Given.Degrees(300);
    private long _handled;
    private long _wrong;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_message_is_handled_or_has_no_handler_while_handlers_come_and_go(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);

        var counts = await WhileDispatching(dispatcher, async () =>
        {
            var first = dispatcher.Register(_points, OnPoint);
            var second = dispatcher.Register(_degrees, OnDegrees);
            await Remove(first, tracks);
            await Remove(second, tracks);
        });

        Assert.Equal(0, _wrong);
        Assert.Equal(_handled, counts[(int)DispatchStatus.Handled]);
        Assert.Equal(dispatcher.GetCount(DispatchStatus.NoHandler), counts[(int)DispatchStatus.NoHandler]);
        Assert.Equal(counts.Sum(), counts[(int)DispatchStatus.Handled] + counts[(int)DispatchStatus.NoHandler]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_message_is_handled_by_one_handler_while_handlers_are_replaced(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);
        var first = dispatcher.Register(_points, OnPoint);
        var second = dispatcher.Register(_degrees, OnDegrees);

        var counts = await WhileDispatching(dispatcher, async () =>
        {
            var (oldFirst, oldSecond) = (first, second);
            first = dispatcher.Register(_points, OnPoint, DuplicateHandlerBehavior.Replace);
            second = dispatcher.Register(_degrees, OnDegrees, DuplicateHandlerBehavior.Replace);
            await Remove(oldFirst, tracks);
            await Remove(oldSecond, tracks);
        });

        Assert.Equal(0, _wrong);
        Assert.Equal(counts.Sum(), counts[(int)DispatchStatus.Handled]);
        Assert.Equal(_handled, counts.Sum());
    }

    [Fact]
    public async Task After_DisposeAsync_a_handler_is_never_called_again()
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: true);
        var late = 0;

        await WhileDispatching(dispatcher, async () =>
        {
            var removed = false;
            var handle = dispatcher.Register(_points, (in Point _, ref int _) =>
            {
                if (Volatile.Read(ref removed))
                    Interlocked.Increment(ref late);
            });
            await Remove(handle, tracks: true);
            Volatile.Write(ref removed, true);
        });

        Assert.Equal(0, late);
    }

    private static async Task Remove(HandlerRegistration handle, bool tracks)
    {
        if (tracks)
            await handle.DisposeAsync().AsTask().InTime();
        else
            handle.Dispose();
    }

    /// <summary>Makes the change many times while two threads dispatch points and degrees; returns how often each status came.</summary>
    private async Task<long[]> WhileDispatching(MessageDispatcher<int> dispatcher, Func<Task> change)
    {
        using var start = new Barrier(2);
        var done = false;
        var dispatching = new[] { Deadline.RunAside(Dispatch), Deadline.RunAside(Dispatch) };
        try
        {
            for (var i = 0; i < Changes; i++)
                await change();
        }
        finally
        {
            Volatile.Write(ref done, true);
        }

        var counts = await Task.WhenAll(dispatching).InTime();
        return counts[0].Zip(counts[1], static (a, b) => a + b).ToArray();

        long[] Dispatch()
        {
            byte[][] messages =
            [
                Given.Packed(_points, new Point(3, -3)),
                Given.Packed(_points, new Point(3, -3), MessageKind.Request, 1),
                Given.Packed(_degrees, new Celsius(-300)),
            ];
            var counts = new long[Enum.GetValues<DispatchStatus>().Length];
            start.SignalAndWait(Deadline.Length);
            do
            {
                foreach (var message in messages)
                    counts[(int)dispatcher.Dispatch(message)]++;
            }
            while (!Volatile.Read(ref done));
            return counts;
        }
    }

    private void OnPoint(in Point point, ref int state) => Count(point == new Point(3, -3));

    private void OnDegrees(in Celsius celsius, ref int state) => Count(celsius.Degrees == -300);

    private void Count(bool right)
    {
        Interlocked.Increment(ref _handled);
        if (!right)
            Interlocked.Increment(ref _wrong);
    }
}
