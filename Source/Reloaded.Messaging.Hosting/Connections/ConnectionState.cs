namespace Reloaded.Messaging.Hosting;

/// <summary>The states of a connection, in their order.</summary>
internal enum ConnectionState
{
    /// <summary>The channel exists, and the handshake has not begun.</summary>
    Connecting = 0,

    /// <summary>The two sides exchange their hellos.</summary>
    Handshaking,

    /// <summary>The handshake is complete, and the host waits for credentials or checks them. Only a host with a login has this state.</summary>
    Authenticating,

    /// <summary>The connection belongs to a peer, and its messages are handled.</summary>
    Open,

    /// <summary>This side sends a goodbye. Messages that were sent before are still written.</summary>
    Closing,

    /// <summary>The connection has ended.</summary>
    Closed,
}
