using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>What a client is about to try again.</summary>
/// <param name="Number">1 for the first since the connection was lost, or since the first one failed.</param>
/// <param name="Endpoint">Where it tried last.</param>
/// <param name="Failure">Why that failed, or why the connection was lost.</param>
public sealed record ReconnectAttempt(int Number, MessageEndpoint Endpoint, Exception Failure);
