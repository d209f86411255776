using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Describes an exception of a handler.</summary>
/// <param name="Peer">The sender of the message.</param>
/// <param name="Type">The type of the message.</param>
/// <param name="Exception">The exception that the handler threw.</param>
public sealed record HandlerFailure(Peer Peer, uint Type, Exception Exception);
