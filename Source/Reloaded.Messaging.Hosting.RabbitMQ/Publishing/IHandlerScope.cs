namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A delivery whose handler runs, and which can wait for messages.</summary>
internal interface IHandlerScope
{
    /// <summary>Makes the delivery wait for a message.</summary>
    /// <returns>The delivery, to which the result of the message must be reported; <see langword="null"/> if the delivery is already settled.</returns>
    IConfirmation? Track();
}
