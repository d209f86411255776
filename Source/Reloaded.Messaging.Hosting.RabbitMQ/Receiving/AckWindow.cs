using System;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Acknowledges many deliveries with one frame, where none will ever be handed out again: the queue is this host's alone.</summary>
/// <remarks>
/// Only while no handler runs: the frame would be for those too. Beside one that does, each is acknowledged alone, so that it holds up no other.
/// The client puts a frame in line before it first waits, so within the gate they go out in order: the broker ends a channel that acknowledges
/// a delivery twice.
/// </remarks>
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
