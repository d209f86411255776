using System;
using System.IO.Pipes;

namespace Reloaded.Messaging;

/// <summary>Pipes between an elevated process and one that is not: by lists of rights, which this target has no part of.</summary>
internal static class PipeElevation
{
    public static NamedPipeServerStream MakeServer(string name, PipeOptions options) => throw Missing();

    public static bool IsTrusted(NamedPipeClientStream pipe) => throw Missing();

    private static PlatformNotSupportedException Missing() => new(
        "MessageHostOptions.AllowElevationMismatch needs PipeSecurity, which the netstandard2.1 build of Reloaded.Messaging.Hosting has not. " +
        "Run both processes elevated or neither, use MessageEndpoint.Tcp with MessageHostOptions.Token, or the build for .NET 8 or later.");
}
