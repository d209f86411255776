namespace Reloaded.Messaging.Hosting;

/// <summary>Describes a connection that a server refused, or that ended before it became a peer.</summary>
/// <param name="RemoteName">The address, path or name of the remote side, for log messages.</param>
/// <param name="Reason">The reason.</param>
public sealed record RefusedConnection(string RemoteName, DisconnectReason Reason);
