namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Waits for the confirmation of a message.</summary>
internal interface IConfirmation
{
    /// <summary>The message is done. Called under the queue's gate: must return soon and call nothing of the queue.</summary>
    /// <param name="isConfirmed"><see langword="true"/> if the broker has the message; <see langword="false"/> if the message is lost.</param>
    void Complete(bool isConfirmed);
}
