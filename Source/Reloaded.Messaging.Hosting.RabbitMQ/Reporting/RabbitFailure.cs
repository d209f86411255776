using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>An exception of a handler or an event listener, or the refusal of a delay queue.</summary>
/// <param name="From">The origin of the message; the default value if there was no message.</param>
/// <param name="Type">The type of the message; 0 if no handler threw.</param>
/// <param name="Exception">The exception.</param>
public sealed record RabbitFailure(Origin From, uint Type, Exception Exception);
