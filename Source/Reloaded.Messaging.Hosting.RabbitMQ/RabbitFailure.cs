using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A handler or a listener threw: what it was about.</summary>
/// <param name="From">Whose message it had; the default if it had none.</param>
/// <param name="Type">The message's type.</param>
/// <param name="Exception">What it threw.</param>
public sealed record RabbitFailure(Origin From, uint Type, Exception Exception);
