namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>Where the program of a <see cref="GameProcess"/> is: in its own folder, since the one beside these tests would run on the build under test too.</summary>
internal static class GameProgram
{
    public static string Path => (string)AppContext.GetData("Reloaded.Messaging.Tests.PeerProcess")!;
}
