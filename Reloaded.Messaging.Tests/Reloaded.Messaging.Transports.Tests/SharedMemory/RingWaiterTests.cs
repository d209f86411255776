using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class RingWaiterTests : IDisposable
{
    private readonly TestMap _map = new();

    public void Dispose() => _map.Dispose();

    /// <summary>A signal wakes only a thread that sleeps already. A thread that is about to sleep sees the word.</summary>
    [Fact]
    public async Task Thread_that_is_about_to_sleep_while_the_channel_is_closed_does_not_sleep()
    {
        using var signal = new HeldSignal();
        var waiter = NewWaiter(signal);
        var waiting = waiter.WaitAsync();
        await Deadline.RunAside(signal.AboutToSleep.Wait).InTime();

        waiter.End();
        waiter.Notify();
        signal.Sleep.Set();

        await Assert.ThrowsAsync<TransportClosedException>(() => waiting.InTime());
    }

    private unsafe EndlessWaiter NewWaiter(WakeSignal signal)
    {
        var (lifeline, _) = InProcessChannel.CreatePair("lifeline");
        var signals = WakeSignals.Create(WakeMode.Bytes, isServer: true, "unused", new LifelineSender(lifeline));
        var side = new RingSide(_map.Map, TestMap.Capacity, isServer: true, new Lifeline(lifeline, _map.Map, signals), signals, spinTime: null, "other side");
        return new EndlessWaiter(side, _map.Map, (int*)(_map.Map.Start + RingLayout.ClientRing + RingLayout.ConsumerSleep), signal);
    }

    /// <summary>A futex that waits for the test before it sleeps.</summary>
    private sealed unsafe class HeldSignal : WakeSignal
    {
        private readonly ManualResetEventSlim _woken = new();

        public ManualResetEventSlim AboutToSleep { get; } = new();

        public ManualResetEventSlim Sleep { get; } = new();

        public override void Wait(int* word, int expected)
        {
            AboutToSleep.Set();
            Sleep.Wait();
            if (Volatile.Read(ref *word) == expected)
                _woken.Wait();
        }

        public override void Wake(int* word)
        {
            if (Sleep.IsSet)
                _woken.Set();
        }

        public override void Dispose() => _woken.Set();
    }

    /// <summary>Waits for something that does not happen.</summary>
    private sealed unsafe class EndlessWaiter(RingSide side, SharedMap map, int* word, WakeSignal signal) : RingWaiter(side, map, word, signal, TimeSpan.Zero, "test")
    {
        protected override bool CanComplete => false;

        public Task WaitAsync()
        {
            Assert.True(TryBegin(begun: 0, CancellationToken.None));
            var task = Wait.AsVoidTask().AsTask();
            Start();
            return task;
        }

        protected override bool TryComplete(out int result, out Exception? failure)
        {
            (result, failure) = (0, null);
            return false;
        }
    }
}
