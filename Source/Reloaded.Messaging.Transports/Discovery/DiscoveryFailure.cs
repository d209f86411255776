namespace Reloaded.Messaging;

/// <summary>The reason for which no server was found for a process id.</summary>
public enum DiscoveryFailure
{
    /// <summary>No process has this id.</summary>
    NoProcess = 0,

    /// <summary>The process exists, but currently has no server of this name.</summary>
    NoServer,

    /// <summary>The entry of the server belongs to a process that has ended. Another process now has the id.</summary>
    StaleEntry,
}
