using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>What a handler's message came with.</summary>
/// <param name="Peer">Who sent it.</param>
/// <param name="Kind">An event or a request.</param>
/// <param name="CorrelationId">For a request, what its reply carries.</param>
internal readonly record struct MessageContext(Peer Peer, MessageKind Kind, uint CorrelationId);
