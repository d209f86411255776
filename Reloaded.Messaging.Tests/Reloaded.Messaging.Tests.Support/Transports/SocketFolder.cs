using System.IO;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Where tests have their Unix sockets: a folder that goes with the process, since the locks beside them stay.</summary>
internal static class SocketFolder
{
    private static readonly string s_path = Make();

    /// <summary>Returns an endpoint that no other test uses. Skips the test on a system without Unix sockets.</summary>
    public static MessageEndpoint Next()
    {
        TestSystem.RequireUnixSockets();
        return MessageEndpoint.Unix(Path.Combine(s_path, Path.GetRandomFileName()));
    }

    private static string Make()
    {
        var path = Directory.CreateTempSubdirectory("rm-tests").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(path, recursive: true);
        return path;
    }
}
