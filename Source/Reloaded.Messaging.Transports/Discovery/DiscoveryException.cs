using System;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>No server was found by a process id and a name.</summary>
public sealed class DiscoveryException : IOException
{
    internal DiscoveryException(DiscoveryFailure failure, string name, int processId)
        : base(Describe(failure, name, processId)) => Failure = failure;

    /// <summary>Why.</summary>
    public DiscoveryFailure Failure { get; }

    private static string Describe(DiscoveryFailure failure, string name, int processId) => failure switch
    {
        DiscoveryFailure.NoProcess => $"There is no process {processId}. It has ended, or it runs where this one can't see it (another container, Wine): connect to the server's own endpoint then.",
        DiscoveryFailure.NoServer => $"Process {processId} has no server '{name}' of this user. It may not have started one yet, or listen without being published: MessageHostOptions.PublishedName.",
        _ => $"The server '{name}' of process {processId} is gone: that process has ended, and its id belongs to another one. Look for the new process: MessageEndpoint.FindServers.",
    };
}
