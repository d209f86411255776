using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Thrown by a flush when the broker refused a message that the flush waited for.</summary>
public sealed class PublicationRefusedException(RefusedPublication publication) : Exception(
    $"The broker refused message {publication.Number} to '{publication.Topic}': {publication.Reason} The message was dropped. Check the rights of the user and the broker's limits.")
{
    /// <summary>The message that was refused; the first one if there were several.</summary>
    public RefusedPublication Publication { get; } = publication;
}
