namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The delivery of a consumer while its synchronous handlers run. One object is reused, because deliveries are handled one after the other.</summary>
internal sealed class SynchronousDelivery(Consumer consumer) : IHandlerScope
{
    private ulong _tag;
    private int _tries;
    private PendingDelivery? _pending;

    /// <remarks>The delivery is created when the first handler publishes.</remarks>
    public IConfirmation? Track() => (_pending ??= new PendingDelivery(consumer, _tag, _tries)).Track();

    /// <summary>Begins a handler of a delivery.</summary>
    public void Begin(ulong tag, int tries, PendingDelivery? pending) => (_tag, _tries, _pending) = (tag, tries, pending);

    /// <summary>Ends the handler.</summary>
    /// <returns>The delivery if it must wait for messages; otherwise, <see langword="null"/>.</returns>
    public PendingDelivery? End()
    {
        var pending = _pending;
        _pending = null;
        return pending;
    }
}
