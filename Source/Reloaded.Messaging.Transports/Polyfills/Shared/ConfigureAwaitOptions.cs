namespace Reloaded.Messaging.Polyfills;

/// <summary>How a task is awaited, as far as it is needed.</summary>
internal enum ConfigureAwaitOptions
{
    None = 0,
    SuppressThrowing = 2,
}
