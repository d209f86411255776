namespace Reloaded.Messaging;

/// <summary>Describes the other side of a <see cref="TransportChannel"/> that is not a host of this library.</summary>
/// <remarks>
/// The connection sends no handshake, no keep-alive, no goodbye and no other frames by itself, and the program can send only events. A disconnect waits
/// until the other side closes the connection, unless the channel counts <see cref="TransportChannel.LostFrames"/>: disposing such a channel waits instead.
/// </remarks>
public sealed class ForeignPeer
{
    /// <summary>The highest message id that the other side knows (default: no limit). The host refuses to send other messages.</summary>
    public uint MaxMessageType { get; init; } = uint.MaxValue;
}
