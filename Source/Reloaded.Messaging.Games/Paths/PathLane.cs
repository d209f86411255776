namespace Reloaded.Messaging.Games;

/// <summary>One direction of a path, for one client.</summary>
internal abstract class PathLane
{
    /// <summary>The time at which the last datagram has entered the path, as a timestamp. Only <see cref="PathQueue"/> uses it, under its lock.</summary>
    public long FreeAt { get; set; }

    /// <summary>Sends a datagram that has passed.</summary>
    /// <returns><see langword="false"/> if the system did not send it.</returns>
    public abstract bool TrySend(ReadOnlySpan<byte> datagram);
}
