using System;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Receiving;

/// <summary>Acknowledges many deliveries with one frame, where none will ever be handed out again: the queue is this host's alone.</summary>
/// <remarks>Only while no handler runs, so that those that do are within the prefetch too.</remarks>
/// <param name="channel">Where they came.</param>
/// <param name="size">How many deliveries an acknowledgement is for.</param>
internal sealed class AckWindow(IChannel channel, int size)
{
    private readonly object _gate = new();
    private ulong _highest;
    private int _ended;
    private int _running;

    /// <summary>A delivery's handler goes on while others are delivered.</summary>
    public void Begin()
    {
        lock (_gate)
            _running++;
    }

    /// <summary>A delivery is handled.</summary>
    public ValueTask EndAsync(ulong tag, bool wasPending)
    {
        lock (_gate)
        {
            if (wasPending)
                _running--;
            _highest = Math.Max(_highest, tag);
            if (++_ended < size || _running > 0)
                return default;
            _ended = 0;
            tag = _highest;
        }

        return channel.BasicAckAsync(tag, multiple: true);
    }
}
