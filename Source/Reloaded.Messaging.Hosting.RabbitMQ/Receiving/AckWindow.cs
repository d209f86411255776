using System;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Acknowledges many deliveries with one frame. Used only for exclusive queues, from which messages are never delivered again.</summary>
/// <remarks>
/// One frame is used only while no handler runs, because it would acknowledge the running deliveries too. While a handler runs, each delivery is
/// acknowledged separately, so that the handler does not delay the others. The client queues a frame before its first wait, so frames that are
/// created under the lock are sent in order. The broker ends a channel that acknowledges a delivery twice.
/// </remarks>
/// <param name="channel">The channel of the deliveries.</param>
/// <param name="size">The number of deliveries per acknowledgement.</param>
internal sealed class AckWindow(IChannel channel, int size)
{
    private readonly object _gate = new();
    private ulong _highest;
    private int _ended;
    private int _running;

    /// <summary>Records that the handler of a delivery continues while others are delivered.</summary>
    public void Begin()
    {
        lock (_gate)
            _running++;
    }

    /// <summary>Records that a delivery is handled.</summary>
    public ValueTask EndAsync(ulong tag, bool wasPending)
    {
        lock (_gate)
        {
            if (wasPending)
                _running--;
            if (_running > 0)
                return channel.BasicAckAsync(tag, multiple: false);
            _highest = Math.Max(_highest, tag);
            if (++_ended < size)
                return default;
            _ended = 0;
            return channel.BasicAckAsync(_highest, multiple: true);
        }
    }
}
