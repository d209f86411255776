namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A consumer's delivery while its synchronous handlers run. One object for all deliveries: they come one after the other.</summary>
internal sealed class SynchronousDelivery(Consumer consumer)
{
    private ulong _tag;
    private int _tries;
    private PendingDelivery? _pending;

    /// <summary>The delivery, made when the first handler publishes.</summary>
    public PendingDelivery Pending => _pending ??= new PendingDelivery(consumer, _tag, _tries);

    /// <summary>Begins a handler of a delivery.</summary>
    public void Begin(ulong tag, int tries, PendingDelivery? pending) => (_tag, _tries, _pending) = (tag, tries, pending);

    /// <summary>Ends the handler.</summary>
    /// <returns>The delivery, if it has to wait for something.</returns>
    public PendingDelivery? End()
    {
        var pending = _pending;
        _pending = null;
        return pending;
    }
}
