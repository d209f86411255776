namespace Reloaded.Messaging;

/// <summary>Accepts the channels of connecting clients.</summary>
/// <remarks>Only one accept may be pending at a time. A listener listens from its creation until it is disposed, which ends a pending accept.</remarks>
public abstract class TransportListener : IAsyncDisposable
{
    /// <summary>The address at which the listener listens, with the assigned port.</summary>
    public abstract TransportAddress Address { get; }

    /// <summary>The token that was created for this listener and published with it; empty if the listener has none. The host uses it if its own options contain no token.</summary>
    public virtual ReadOnlyMemory<byte> Token => default;

    /// <summary>Waits for the next channel.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The channel, which the caller disposes; or <see langword="null"/> if the listener was disposed.</returns>
    public abstract ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken);

    /// <summary>Stops listening. Accepted channels stay open.</summary>
    public abstract ValueTask DisposeAsync();
}
