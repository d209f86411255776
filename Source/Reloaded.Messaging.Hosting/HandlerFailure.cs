using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Describes an exception of a handler.</summary>
/// <param name="Peer">The sender of the message.</param>
/// <param name="Type">The id of the type of the message; 0 if the exception does not concern a message, for example if an event handler threw it.</param>
/// <param name="Exception">The exception that the handler threw.</param>
public sealed record HandlerFailure(Peer Peer, uint Type, Exception Exception)
{
    /// <summary>The name of the .NET type of the message; <see langword="null"/> if this host handles and announces no such type, or if <see cref="Type"/> is 0.</summary>
    public string? TypeName { get; init; }
}
