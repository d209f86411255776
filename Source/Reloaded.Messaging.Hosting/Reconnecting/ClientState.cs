namespace Reloaded.Messaging.Hosting;

/// <summary>The state of a client's connection.</summary>
public enum ClientState
{
    /// <summary>There is no connection. The client connects for the first time or, with <see cref="MessageHostOptions.Reconnect"/>, again.</summary>
    Connecting = 0,

    /// <summary>Both sides completed the handshake.</summary>
    Connected,

    /// <summary>There is no connection, and the client makes no further attempt.</summary>
    Disconnected,
}
