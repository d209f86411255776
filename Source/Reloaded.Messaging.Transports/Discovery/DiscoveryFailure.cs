namespace Reloaded.Messaging;

/// <summary>Why no server was found by a process id.</summary>
public enum DiscoveryFailure
{
    /// <summary>There is no process of that id.</summary>
    NoProcess = 0,

    /// <summary>There is the process, and it has no server of that name, or none yet, or none any more.</summary>
    NoServer,

    /// <summary>A server was left behind by a process that is gone; the id now belongs to another.</summary>
    StaleEntry,
}
