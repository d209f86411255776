namespace Reloaded.Messaging.Polyfills;

/// <summary>Replaces the type of newer targets, with the members that this library uses.</summary>
internal enum ConfigureAwaitOptions
{
    None = 0,
    SuppressThrowing = 2,
}
