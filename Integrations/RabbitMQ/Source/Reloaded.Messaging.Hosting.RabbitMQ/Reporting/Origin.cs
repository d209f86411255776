namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The origin of a message.</summary>
/// <param name="Sender">The sender's <see cref="RabbitHost.Id"/>, to which requests can be sent. Empty if the sender is not a host. The value is not authenticated: any program with access to the broker can claim it.</param>
/// <param name="Topic">The topic of an event; for a request, the name or id to which it was sent.</param>
/// <param name="Number">
/// The number of the message: 1, 2, 3 and so on for each sender and topic. Sender, topic and number together identify the message. A sender
/// forgets a topic that was idle while it published to 32,768 other topics. Then the numbers of the topic continue at a multiple of 2^48, plus 1. 0 for requests.
/// </param>
/// <param name="IsRepeated">Whether the message may have been handled before, by this host or another. A copy is marked. The original is not, and may be handled after its copy.</param>
/// <param name="Tries">The number of times that the broker has delivered the message, including this delivery (at least 1).</param>
public readonly record struct Origin(string Sender, string Topic, ulong Number, bool IsRepeated, int Tries)
{
    /// <summary>The id that the publisher gave to the message (<see cref="PublishOptions.MessageId"/>); <c>null</c> if it gave none. The value is not authenticated.</summary>
    public string? MessageId { get; init; }
}
