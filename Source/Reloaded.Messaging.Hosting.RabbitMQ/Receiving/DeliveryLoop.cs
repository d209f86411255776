using System;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Handles the deliveries of a consumer, one after the other, outside the client library.</summary>
/// <remarks>
/// When the broker closes a channel, the client stops reading from the connection until the running callback of the channel has ended. A handler
/// that the client called would therefore stop every subscription and every request of the host. The prefetch bounds the number of waiting deliveries.
/// </remarks>
/// <param name="handle">Handles a delivery. The next delivery waits for the returned task.</param>
internal sealed class DeliveryLoop(Func<Delivery, Task> handle)
{
    private readonly Channel<Delivery> _waiting = Channel.CreateUnbounded<Delivery>(new UnboundedChannelOptions { SingleReader = true });

    /// <summary>Adds a delivery. The body is copied, because the client reuses its memory.</summary>
    /// <returns><c>false</c> if the loop is completed, so that the delivery is not handled; otherwise, <c>true</c>.</returns>
    public bool TryAdd(in Delivery delivery)
    {
        var copy = delivery.Copy();
        if (_waiting.Writer.TryWrite(copy))
            return true;
        copy.Free();
        return false;
    }

    /// <summary>Ends the loop after the waiting deliveries.</summary>
    public void Complete() => _waiting.Writer.TryComplete();

    /// <summary>Handles deliveries until the loop is completed.</summary>
    /// <param name="earlier">The end of the deliveries that are handled first.</param>
    public async Task RunAsync(Task earlier)
    {
        await earlier.ConfigureAwait(false);
        while (await _waiting.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (_waiting.Reader.TryRead(out var delivery))
                await handle(delivery).ConfigureAwait(false);
        }
    }
}
