using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Thrown by a flush when the broker refused a message that the flush waited for.</summary>
public sealed class PublicationRefusedException(RefusedPublication publication) : Exception(
    $"The broker refused message {publication.Number} to '{publication.Topic}': {publication.Reason} The message was dropped. Check the permissions of the user and the limits of the broker.")
{
    /// <summary>The refused message; the first one if several were refused.</summary>
    public RefusedPublication Publication { get; } = publication;
}
