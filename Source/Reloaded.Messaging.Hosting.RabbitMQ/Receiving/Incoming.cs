using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What a handler's message came with.</summary>
/// <param name="From">Where from.</param>
/// <param name="Kind">An event or a request.</param>
/// <param name="CorrelationId">For a request, what its reply carries.</param>
internal readonly record struct Incoming(Origin From, MessageKind Kind, uint CorrelationId);
