using System.Net;

namespace Reloaded.Messaging;

/// <summary>Moves bytes between two sides, in both directions.</summary>
/// <remarks>
/// <para>
/// A channel delivers all bytes in order; a <see cref="DatagramChannel"/> may lose or reorder frames. A channel has no knowledge of messages. The library implements limits, the handshake, requests and errors above all channels. Each send contains
/// one or more whole frames, each preceded by its length. A receive may split the bytes anywhere, and the library reassembles the frames.
/// </para>
/// <para>
/// <b>Ownership.</b> The caller owns the bytes. It does not change bytes passed to <see cref="SendAsync"/> until the task completes. A channel
/// writes to the memory passed to <see cref="ReceiveAsync"/> until the task completes, and keeps no reference afterwards. A channel that implements
/// <see cref="ILendsFrames"/> lends its own memory instead.
/// </para>
/// <para>
/// <b>Threads.</b> At most one send and one receive run at a time; the two may overlap. Tasks may complete on any thread, and
/// inline. <see cref="Abort"/> may be called at any time, from any thread, any number of times. Pending operations then fail or end soon.
/// </para>
/// </remarks>
public abstract class TransportChannel : IAsyncDisposable
{
    /// <summary>The name of the other side: an address, a path or a name.</summary>
    public abstract string RemoteName { get; }

    /// <summary>The identity under which limits and lock-outs per address count this connection, or <see langword="null"/> if the other side is on this machine.</summary>
    /// <remarks>A transport over IP returns <see cref="GetIdentity"/> of the remote address.</remarks>
    public virtual string? RemoteIdentity => null;

    /// <summary>The token that the client read from a published server, together with the address; empty if the server published no token. The host uses it if its own options contain no token.</summary>
    public ReadOnlyMemory<byte> Token { get; protected internal set; }

    /// <summary>The number of bytes that the other side, or the system for it, has accepted, including a send in progress; <see langword="null"/> if the channel cannot count them (the default). The host disconnects a peer whose count stops growing.</summary>
    public virtual long? SentBytes => null;

    /// <summary>A number that grows as the other side acknowledges what was sent to it; <see langword="null"/> if nothing waits for an acknowledgement, or if the channel does not know (the default). A server disconnects a peer whose number stops growing.</summary>
    public virtual long? AcknowledgedProgress => null;

    /// <summary>Whether received bytes wait to be read, as far as the channel can determine (default: <see langword="false"/>). A peer with unread bytes is not silent.</summary>
    public virtual bool HasUnread => false;

    /// <summary>The number of accepted messages whose arrival the other side has not confirmed (default: 0, also if the channel cannot count them).</summary>
    /// <remarks>The host reads it after the channel was disposed, and counts these messages as lost.</remarks>
    public virtual int LostFrames => 0;

    /// <summary>Sends bytes. Completes when the channel has accepted all of them. Waits while the other side does not read.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="cancellationToken">Cancels the wait. The channel cannot be used afterwards.</param>
    /// <exception cref="TransportClosedException">Thrown when the other side has disconnected, or when this side aborted the channel.</exception>
    public abstract ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken);

    /// <summary>Receives the available bytes, at least one.</summary>
    /// <param name="buffer">The memory to fill. It is empty only below TLS: the receive then completes with 0 when bytes have arrived.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The number of bytes received; 0 when the other side has closed and all of its bytes were received.</returns>
    /// <exception cref="TransportClosedException">Thrown when the other side aborted the connection and all bytes that arrived before were received, or when this side aborted the channel.</exception>
    public abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Aborts the channel. Pending sends and receives end soon, and bytes that were not received yet may be lost.</summary>
    public abstract void Abort();

    /// <summary>Signals the end of the sent bytes, and lets the other side receive them. Then frees the resources of the channel.</summary>
    /// <remarks>A transport may wait up to <see cref="TransportContext.FlushTimeout"/> for the other side to close as well. May be called any number of times, from any thread.</remarks>
    public abstract ValueTask DisposeAsync();

    /// <summary>Returns the <see cref="RemoteIdentity"/> for a remote address.</summary>
    /// <param name="remote">The remote address. The port is ignored.</param>
    /// <returns>The IPv4 address, or the 64-bit network of an IPv6 address; <see langword="null"/> for a loopback address and for an address that is not an IP address.</returns>
    protected static string? GetIdentity(EndPoint? remote) => AddressGroup.Of(remote);
}

/// <summary>Implemented by a <see cref="TransportChannel"/> that receives whole frames in its own memory, and lends this memory to the receiver.</summary>
/// <remarks>The library then calls <see cref="ReceiveFramesAsync"/> instead of <see cref="TransportChannel.ReceiveAsync"/>, unless it encrypts the bytes of the channel: see <see cref="TransportContext.Protection"/>.</remarks>
public interface ILendsFrames
{
    /// <summary>Receives whole frames. Waits until at least one frame was received.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The frames, or empty memory at the end. The caller may read and zero the memory until it calls <see cref="ReturnFrames"/>, which it does before the next receive.</returns>
    /// <exception cref="TransportClosedException">Thrown when the other side aborted the connection and all frames that arrived before were received, or when this side aborted the channel.</exception>
    ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken);

    /// <summary>Returns the memory that <see cref="ReceiveFramesAsync"/> lent, if any. Also called after an abort. Only the receiver calls this method.</summary>
    void ReturnFrames();
}
