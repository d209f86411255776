namespace Reloaded.Messaging.Tool;

/// <summary>What <c>watch</c> shows below the head.</summary>
internal enum WatchPanel
{
    Peers,
    Types,
    Counters,
}
