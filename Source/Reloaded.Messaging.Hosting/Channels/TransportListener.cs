using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Takes in channels from those who connect.</summary>
/// <remarks>One accept at a time. Listens from the moment it is made until it is disposed, which ends an accept under way.</remarks>
public abstract class TransportListener : IAsyncDisposable
{
    /// <summary>Where it listens, as a client gives it: with the port that was assigned.</summary>
    public abstract MessageEndpoint Endpoint { get; }

    /// <summary>Waits for the next channel.</summary>
    /// <returns>The channel: the caller's to dispose. Null when the listener was disposed.</returns>
    public abstract ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken);

    /// <summary>Stops listening. Channels that were accepted go on.</summary>
    public abstract ValueTask DisposeAsync();
}
