namespace Reloaded.Messaging.Hosting;

/// <summary>Describes a connection that a server refused, or that ended before it became a peer.</summary>
public sealed class RefusedConnection
{
    internal RefusedConnection(string remoteName, DisconnectReason reason) =>
        (RemoteName, Reason) = (remoteName, reason);

    /// <summary>The address, path or name of the remote side, for log messages.</summary>
    public string RemoteName { get; }

    /// <summary>The reason.</summary>
    public DisconnectReason Reason { get; }

    /// <summary>The remote side and the reason.</summary>
    public override string ToString() => $"{RemoteName}: {Reason}";
}
