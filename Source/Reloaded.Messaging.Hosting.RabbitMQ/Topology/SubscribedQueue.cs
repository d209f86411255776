namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The queue that a subscription needs.</summary>
/// <param name="Role">The purpose.</param>
/// <param name="Topic">The topic, or the name to which requests are sent.</param>
/// <param name="Kind">The delivery guarantee.</param>
/// <param name="Group">The name of the group; <c>null</c> if the queue belongs only to one host.</param>
internal sealed record SubscribedQueue(ConsumerRole Role, string Topic, DeliveryKind Kind, string? Group)
{
    /// <summary>Whether the queue belongs only to one host. Such a queue is deleted with its connection.</summary>
    public bool IsOwn => Group is null;
}
