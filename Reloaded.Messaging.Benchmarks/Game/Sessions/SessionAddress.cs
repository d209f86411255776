namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>The ports and keys with which a client connects to the servers of the other process.</summary>
/// <param name="Port">The port of the host.</param>
/// <param name="Token">The token of the host.</param>
/// <param name="TlsPort">The port of the server of TLS alone.</param>
/// <param name="TlsHash">The SHA-256 hash of its certificate.</param>
public sealed record SessionAddress(int Port, byte[] Token, int TlsPort, byte[] TlsHash);
