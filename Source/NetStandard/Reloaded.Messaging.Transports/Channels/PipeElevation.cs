using System.IO.Pipes;

namespace Reloaded.Messaging;

/// <summary>Pipes between an elevated process and a process that is not elevated. They need access control lists, which this target does not support.</summary>
internal static class PipeElevation
{
    public static NamedPipeServerStream MakeServer(string name, PipeOptions options) => throw Missing();

    public static bool IsTrusted(NamedPipeClientStream pipe) => throw Missing();

    private static PlatformNotSupportedException Missing() => new(
        "allowElevationMismatch of the endpoint requires PipeSecurity, which the netstandard2.1 build does not have. " +
        "Run both processes with the same elevation, use MessageEndpoint.Tcp with MessageHostOptions.Token, or use the build for .NET 8 or later.");
}
