namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>Where the program of a <see cref="GameProcess"/> is.</summary>
internal static class GameProgram
{
    public static string Path => typeof(PeerProcess.Program).Assembly.Location;
}
