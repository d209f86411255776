namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Waits for the confirmation of a message.</summary>
internal interface IConfirmation
{
    /// <summary>Called when the message is completed. The queue's lock is held, so the method must return soon and must not call the queue.</summary>
    /// <param name="isConfirmed"><see langword="true"/> if the broker has the message; <see langword="false"/> if the message is lost.</param>
    void Complete(bool isConfirmed);
}
