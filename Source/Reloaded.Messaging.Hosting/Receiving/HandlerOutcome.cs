namespace Reloaded.Messaging.Hosting;

/// <summary>What a message came to, as far as its peer is concerned.</summary>
internal enum HandlerOutcome
{
    Done = 0,
    Malformed,
    TooManyRunning,
}
