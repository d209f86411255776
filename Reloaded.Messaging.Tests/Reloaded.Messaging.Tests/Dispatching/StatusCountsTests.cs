using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

public sealed class StatusCountsTests
{
    private readonly MessageDispatcher<int> _dispatcher = new();

    [Fact]
    public void GetCount_after_several_threads_dispatched_at_once_counts_every_message()
    {
        const int Threads = 4;
        const int Messages = 200_000;
        var message = new byte[] { 4 };
        using var start = new Barrier(Threads);
        var threads = new Thread[Threads];
        for (var i = 0; i < Threads; i++)
        {
            threads[i] = new Thread(() =>
            {
                start.SignalAndWait();
                for (var k = 0; k < Messages; k++)
                    _dispatcher.Dispatch(message);
            });
            threads[i].Start();
        }

        foreach (var thread in threads)
            thread.Join();

        Given.AssertCounted(_dispatcher, DispatchStatus.NoHandler, Threads * Messages);
    }

    [Fact]
    public void GetCount_after_threads_dispatched_in_turn_counts_every_message()
    {
        for (var i = 0; i < 3; i++)
        {
            var thread = new Thread(() =>
            {
                _dispatcher.Dispatch([4]);
                _dispatcher.Dispatch([5]);
            });
            thread.Start();
            thread.Join();
        }

        Given.AssertCounted(_dispatcher, DispatchStatus.NoHandler, 6);
    }
}
