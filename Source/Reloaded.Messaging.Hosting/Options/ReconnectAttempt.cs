using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Describes an attempt to connect that the client is about to make.</summary>
/// <param name="Number">The number of the attempt, starting at 1 after the connection was lost or after the first attempt failed.</param>
/// <param name="Endpoint">The endpoint of the previous attempt.</param>
/// <param name="Failure">The reason why the previous attempt failed, or why the connection was lost.</param>
public sealed record ReconnectAttempt(int Number, MessageEndpoint Endpoint, Exception Failure);
