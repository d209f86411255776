using System.Linq;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class FlushChainTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(256)]
    [InlineData(257)]
    [InlineData(600)]
    public async Task Each_outbox_of_a_chain_is_written_once_for_each_message(int count)
    {
        var channels = Enumerable.Range(0, count).Select(static _ => new GatedChannel()).ToArray();
        var outboxes = channels.Select(static channel => new StreamOutbox(channel, 1000, static _ => { }, CancellationToken.None)).ToArray();

        for (byte number = 1; number <= 2; number++)
        {
            AppendToAll(outboxes, number);

            foreach (var channel in channels)
            {
                Assert.Equal([[number]], await channel.NextWriteAsync());
                channel.LetGo(1);
            }

            foreach (var outbox in outboxes)
                await outbox.FlushAsync();
        }

        foreach (var channel in channels)
            await channel.DisposeAsync();
    }

    private static void AppendToAll(Outbox[] outboxes, byte number)
    {
        var chain = default(FlushChain);
        foreach (var outbox in outboxes)
            Assert.Equal(SendStatus.Sent, outbox.Append([number], ref chain));
        chain.Start();
    }
}
