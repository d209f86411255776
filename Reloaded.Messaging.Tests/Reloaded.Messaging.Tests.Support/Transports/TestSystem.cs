using System.Net.Sockets;
using System.Runtime.InteropServices;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Components of the system without which a test is skipped.</summary>
internal static class TestSystem
{
    /// <summary>Whether this Windows is Wine.</summary>
    public static bool IsWine { get; } = OperatingSystem.IsWindows() && NativeLibrary.TryLoad("ntdll.dll", out var ntdll) && NativeLibrary.TryGetExport(ntdll, "wine_get_version", out _);

    public static void RequireFileModes() => Assert.SkipWhen(OperatingSystem.IsWindows(), "Files have no modes on Windows. FolderAccessTests checks the access control list of their folder.");

    public static void RequireUnixSockets() => Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix sockets. Wine has none.");

    public static void RequireFirstPipeInstance() => Assert.SkipWhen(IsWine, "Wine ignores FILE_FLAG_FIRST_PIPE_INSTANCE, so two servers can have one pipe name.");
}
