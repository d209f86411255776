namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Where a message comes from.</summary>
/// <param name="Sender">The sender's <see cref="RabbitHost.Id"/>; requests can be sent to it. Empty if the sender is no host. Not proven: any program that the broker lets in can claim it.</param>
/// <param name="Topic">The topic it was published to; for a request, whom it was sent to.</param>
/// <param name="Number">
/// The message's number: 1, 2, 3 and so on for each sender and topic. Sender, topic and number together identify the message. A sender forgets topics
/// that were idle while it published to 32,768 others; then the topic's numbers go on far above, at a multiple of 2^48 plus 1. 0 for requests.
/// </param>
/// <param name="IsRepeated">Whether it may have been handled before, here or elsewhere. A message that was, and comes again, is always marked.</param>
/// <param name="Tries">How often the broker has handed it out, this time included: 1 or more.</param>
public readonly record struct Origin(string Sender, string Topic, ulong Number, bool IsRepeated, int Tries);
