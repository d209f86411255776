using System.Runtime.Versioning;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Callers;

/// <summary>Names that no other test uses.</summary>
internal static class CallerNames
{
    private static int s_names;

    public static string Next() => $"callers-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";
}

[Quiet]
public sealed class InProcessCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.InProcess(CallerNames.Next());
}

[Quiet]
public sealed class TcpCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Tcp(0);
}

[Quiet]
public sealed class StreamCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Over(new PipePairs(), "callers");
}

[Quiet]
public sealed class PumpedCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Tcp(0);

    protected override MessageHostOptions ServerOptions { get; } = new() { IsPumped = true };
}

[Quiet]
public sealed class ReconnectingCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Tcp(0);

    protected override MessageHostOptions ClientOptions => field ??= Reconnecting(ServerOptions);

    protected override MessageEndpoint EndpointOfClient(MessageServer server) => MessageEndpoint.InProcess(CallerNames.Next());
}

[Quiet]
public sealed class ProtectedCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Tcp(0);

    protected override MessageHostOptions ServerOptions { get; } = new() { Protection = ProtectionOptions.WithSecret(new byte[32]), Token = new byte[32] };
}

[Quiet]
public sealed class TlsCallerTests : CallerTests, IDisposable
{
    private readonly Certificates _certificates = new();

    protected override MessageEndpoint Endpoint => MessageEndpoint.Tcp("127.0.0.1", 0, _certificates.Server);

    public void Dispose() => _certificates.Dispose();

    protected override MessageEndpoint EndpointOfClient(MessageServer server) => MessageEndpoint.Tcp("127.0.0.1", server.Endpoint.Port, _certificates.Pinning);
}

[Quiet]
public sealed class WebSocketCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.WebSocket(0);

    protected override MessageHostOptions ServerOptions { get; } = new() { Token = new byte[32] };
}

[Quiet]
public sealed class UnixSocketCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = SocketFolder.Next();
}

[Quiet]
public sealed class LocalCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Local(CallerNames.Next());
}

[Quiet]
public sealed class ProcessCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.OfProcess(Environment.ProcessId, CallerNames.Next());
}

[Quiet]
[UnsupportedOSPlatform("windows")] // where pipes have no files
public sealed class PipeCallerTests : CallerTests, IDisposable
{
    private readonly PipeNames _names = new();

    public PipeCallerTests() => Endpoint = _names.Next();

    protected override MessageEndpoint Endpoint { get; }

    public void Dispose() => _names.Dispose();
}

[Quiet]
public sealed class SharedMemoryCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.SharedMemory(CallerNames.Next());
}
