using System.Runtime.InteropServices;
using Reloaded.Messaging.Tests.Packing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>The same handles released by several threads at once, while the first of them packs on.</summary>
[Quiet]
public sealed class ReleaseRaceTests
{
    private const int Live = 64;
    private static readonly int s_rounds = Extent.Of(50, 500);
    private readonly MessageWriter _writer = new();

    [Theory]
    [InlineData(0, 1)]
    [InlineData(0, 3)]
    [InlineData(1, 1)]
    [InlineData(1, 3)]
    [InlineData(2, 1)]
    [InlineData(2, 3)]
    public void Messages_released_by_many_threads_at_once_never_share_a_buffer(int everySecret, int others) =>
        OtherThread.Run(() => Race(everySecret, others)); // on a thread with no spare buffers of earlier tests

    /// <param name="everySecret">No message is secret (0), every one is (1), or every second one, so that buffers change between both (2).</param>
    /// <param name="others">How many threads release beside the one that packs.</param>
    private void Race(int everySecret, int others)
    {
        var before = MessagePool.GetStatistics();
        var sets = new[] { new PackedMessage[Live], new PackedMessage[Live] };
        var done = new int[others];
        var ready = 0;
        var threads = new (Thread, Func<System.Runtime.ExceptionServices.ExceptionDispatchInfo?>)[others];
        for (var i = 0; i < others; i++)
        {
            var me = i;
            threads[i] = OtherThread.Start(() =>
            {
                for (var round = 1; round <= s_rounds; round++)
                {
                    var current = round;
                    SpinUntil(() => Volatile.Read(ref ready) >= current);
                    foreach (var message in sets[round % 2])
                        message.Dispose();
                    Volatile.Write(ref done[me], round);
                }
            });
        }

        var random = new Random(1);
        for (var round = 1; round <= s_rounds; round++)
        {
            // The others may still release what was packed a round ago, never what is about to be overwritten.
            var last = round - 2;
            SpinUntil(() => Array.TrueForAll(done, value => value >= last));
            var set = sets[round % 2];
            for (var i = 0; i < Live; i++)
                set[i] = _writer.Pack(ContractOf(everySecret, round + i), new Position(round, i, ~round));
            for (var i = 0; i < Live; i++)
                Assert.Equal(new Position(round, i, ~round), MemoryMarshal.Read<Position>(set[i].Span.Slice(1)));

            Volatile.Write(ref ready, round);
            Thread.SpinWait(random.Next(40));
            foreach (var message in set)
                message.Dispose();
            foreach (var message in set)
                Assert.True(message.IsReleased);
        }

        foreach (var thread in threads)
            OtherThread.Join(thread);
        TakeBackWhatOthersReleased();

        var after = MessagePool.GetStatistics();
        var messages = (long)s_rounds * Live;
        Assert.Equal(before.Outstanding, after.Outstanding);
        Assert.Equal(messages * others, after.SecondReleases - before.SecondReleases);
    }

    private static MessageContract<Position> ContractOf(int everySecret, int message) =>
        everySecret != 0 && message % everySecret == 0 ? PackingContracts.SecretPosition : PackingContracts.Position;

    /// <summary>A cache looks at what came back from other threads when it has run out.</summary>
    private void TakeBackWhatOthersReleased()
    {
        var messages = new PackedMessage[ThreadCache.Current.Spare + 1];
        for (var i = 0; i < messages.Length; i++)
            messages[i] = _writer.Pack(PackingContracts.Position, new Position(i, i, i));
        foreach (var message in messages)
            message.Dispose();
    }

    private static void SpinUntil(Func<bool> condition) =>
        Assert.True(SpinWait.SpinUntil(condition, TimeSpan.FromSeconds(30)), "The other thread stopped.");
}
