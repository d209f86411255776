namespace Reloaded.Messaging.Hosting;

/// <summary>Describes an attempt to connect that the client is about to make.</summary>
public sealed class ReconnectAttempt
{
    internal ReconnectAttempt(int number, MessageEndpoint endpoint, Exception failure) =>
        (Number, Endpoint, Failure) = (number, endpoint, failure);

    /// <summary>The number of the attempt, starting at 1 after the connection was lost or after the first attempt failed.</summary>
    public int Number { get; }

    /// <summary>The endpoint of the previous attempt.</summary>
    public MessageEndpoint Endpoint { get; }

    /// <summary>The reason why the previous attempt failed, or why the connection was lost.</summary>
    public Exception Failure { get; }
}
