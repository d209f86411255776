namespace Reloaded.Messaging.Hosting;

/// <summary>How far a peer is with its credentials.</summary>
/// <remarks>Numbers, since they are exchanged.</remarks>
internal static class SessionState
{
    public const int Unauthenticated = 0;
    public const int Asking = 1;
    public const int Checking = 2;
    public const int Authenticated = 3;
}
