namespace Reloaded.Messaging.Hosting;

/// <summary>Handles an event. Runs on the thread that receives from its peer, or where the host is pumped: return soon.</summary>
public delegate void PeerMessageHandler<T>(in T message, Peer from);
