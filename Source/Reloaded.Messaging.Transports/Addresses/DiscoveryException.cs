using System.IO;

namespace Reloaded.Messaging;

/// <summary>Thrown when no server was found for a process id and a name.</summary>
public sealed class DiscoveryException : IOException
{
    internal DiscoveryException(DiscoveryFailure failure, string name, int processId)
        : base(Describe(failure, name, processId)) => Failure = failure;

    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>The reason.</summary>
    public DiscoveryFailure Failure { get; }

    private static string Describe(DiscoveryFailure failure, string name, int processId) => failure switch
    {
        DiscoveryFailure.NoProcess => $"There is no process {processId}. It has ended, or it is not visible to this process (another container, Wine). In the second case, connect to the endpoint of the server.",
        DiscoveryFailure.NoServer => $"Process {processId} has no server '{name}' of this user. The server may not have started yet, or may not be published. Set MessageHostOptions.PublishedName on the server. If the id is one of a container or of Wine, connect to the endpoint of the server.",
        _ => $"The server '{name}' of process {processId} has ended: the id now belongs to another process. Find the new process with MessageEndpoint.FindServers.",
    };
}

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
