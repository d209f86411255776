using System.Globalization;

namespace Reloaded.Messaging.Hosting;

/// <summary>Describes an exception of a handler.</summary>
public sealed class HandlerFailure
{
    internal HandlerFailure(Peer? peer, uint type, Exception exception) =>
        (Peer, Type, Exception) = (peer, type, exception);

    /// <summary>The sender of the message; <see langword="null"/> if the exception concerns no peer, for example if a listener of a transport threw it.</summary>
    public Peer? Peer { get; }

    /// <summary>The id of the type of the message; 0 if the exception does not concern a message, for example if an event handler threw it.</summary>
    public uint Type { get; }

    /// <summary>The exception that the handler threw.</summary>
    public Exception Exception { get; }

    /// <summary>The name of the .NET type of the message; <see langword="null"/> if this host handles and announces no such type, or if <see cref="Type"/> is 0.</summary>
    public string? TypeName { get; init; }

    /// <summary>The message and the peer, for log messages.</summary>
    internal string Place => $"message: {TypeName ?? Type.ToString(CultureInfo.InvariantCulture)}, peer: {Peer?.RemoteName ?? "none"}";

    /// <summary>The message, the peer, and the exception with its stack trace.</summary>
    public override string ToString() => $"{Place}: {Exception}";
}
