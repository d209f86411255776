using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

[Quiet]
public sealed class MessageQueueAllocationTests
{
    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    [InlineData(FullMode.Wait)]
    public void Enqueueing_and_pumping_allocate_nothing(FullMode policy)
    {
        using var queue = new MessageQueue<long>(3, policy);
        var handled = 0L;
        var pumped = 0L;
        var dispatcher = new MessageDispatcher<long>();
        dispatcher.Register(Numbered.Contract, (in Numbered _, ref long sender) => handled += sender);

        var bytes = Allocation.OfThousand(() =>
        {
            for (var i = 0; i < 4; i++)
            {
                var message = Numbered.Pack(i);
                if (queue.Enqueue(message, 1) == EnqueueStatus.Full)
                    message.Dispose();
            }

            pumped += queue.Pump(dispatcher, PumpBudget.Messages(2)).Pumped;
            pumped += queue.Pump(dispatcher, PumpBudget.All).Pumped;
        });

        Assert.Equal(0, bytes);
        Assert.NotEqual(0, handled);
        Assert.Equal(pumped, handled);
    }
}
