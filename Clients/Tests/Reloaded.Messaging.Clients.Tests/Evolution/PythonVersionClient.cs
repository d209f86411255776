using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>The client in <c>Clients/python</c>, over TCP.</summary>
internal sealed class PythonVersionClient() : ForeignVersionClient(
    "python3",
    ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"],
    "python3 of version 3.11 or later was not found. Install Python.",
    "Clients/python",
    ["-m", "tests.evolution"])
{
    protected override string HandshakeError => "HandshakeError";

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}
