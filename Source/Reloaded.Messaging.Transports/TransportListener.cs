using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Accepts channels from the clients that connect.</summary>
/// <remarks>One accept at a time. A listener listens from the moment it is made until it is disposed, which ends an accept under way.</remarks>
public abstract class TransportListener : IAsyncDisposable
{
    /// <summary>Where it listens, with the port that was assigned.</summary>
    public abstract TransportAddress Address { get; }

    /// <summary>The token that was made for this listener and published with it; empty for none. The host uses it if it was given no token.</summary>
    public virtual ReadOnlyMemory<byte> Token => default;

    /// <summary>Waits for the next channel.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The channel, which the caller disposes; or <see langword="null"/> if the listener was disposed.</returns>
    public abstract ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken);

    /// <summary>Stops listening. Accepted channels go on.</summary>
    public abstract ValueTask DisposeAsync();
}
