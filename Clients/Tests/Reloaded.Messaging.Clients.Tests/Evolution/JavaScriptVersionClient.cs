using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>The client in <c>Clients/javascript</c>, over a WebSocket.</summary>
internal sealed class JavaScriptVersionClient() : ForeignVersionClient(
    "node",
    ["-e", "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)"],
    "node of version 20 or later was not found. Install Node.",
    "Clients/javascript",
    ["test/evolution.js"])
{
    protected override string HandshakeError => "ConnectionError";

    protected override byte[] Token { get; } = new byte[32];

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.WebSocket(0);
}
