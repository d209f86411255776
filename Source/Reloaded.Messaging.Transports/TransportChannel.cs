using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Moves bytes between two sides, both ways.</summary>
/// <remarks>
/// <para>
/// A channel knows nothing of messages. Limits, the handshake, requests and errors are written once, above all channels. Each send is whole
/// frames, one or many, each after its length. What is received may be cut anywhere, and is put together above.
/// </para>
/// <para>
/// <b>Ownership.</b> The caller owns the bytes. It does not change bytes handed to <see cref="SendAsync"/> until the task completes. A channel
/// fills the memory that <see cref="ReceiveAsync"/> got until the task completes, and keeps no reference afterwards. The exception is
/// <see cref="ReceiveFramesAsync"/>: it lends memory of the channel, which the caller reads until it calls <see cref="ReturnFrames"/>.
/// </para>
/// <para>
/// <b>Threads.</b> At most one send and one receive are under way at a time; the two may overlap. Tasks may complete on any thread, and
/// inline. <see cref="Abort"/> may be called at any time, from any thread, any number of times: both operations then fail or end soon.
/// </para>
/// </remarks>
public abstract class TransportChannel : IAsyncDisposable
{
    /// <summary>The other side as text: an address, a path or a name.</summary>
    public abstract string RemoteName { get; }

    /// <summary>The identity that limits and lock-outs per address count this connection as, or <see langword="null"/> if the other side is on this machine.</summary>
    /// <remarks>A transport over IP returns <see cref="GetIdentity"/> of the remote address.</remarks>
    public virtual string? RemoteIdentity => null;

    /// <summary>The token that was learned together with the address, from a published server; empty for none. The host uses it if it was given no token.</summary>
    public ReadOnlyMemory<byte> Token { get; protected internal set; }

    /// <summary>The largest frame without its length that the channel carries, in bytes (default: any size).</summary>
    public virtual int MaxMessageSize => int.MaxValue;

    /// <summary>Advice appended to the exception when a message exceeds <see cref="MaxMessageSize"/>: whole sentences.</summary>
    public virtual string MaxMessageSizeAdvice => "Send less at a time.";

    /// <summary>Whether the channel delivers frames differently by their <see cref="Delivery"/> (default: <see langword="false"/>). If so, each send has frames of one delivery; if not, the hint says nothing.</summary>
    public virtual bool UsesDelivery => false;

    /// <summary>Whether the channel lends what it received (default: <see langword="false"/>). If so, <see cref="ReceiveFramesAsync"/> is called, and <see cref="ReceiveAsync"/> is not.</summary>
    public virtual bool LendsFrames => false;

    /// <summary>Whether the other side is no host of this library (default: <see langword="false"/>). If so, there is no handshake, no keep-alive, and nothing else that the connection sends by itself.</summary>
    public virtual bool IsForeign => false;

    /// <summary>Whether disposing waits until the other side has received everything (default: <see langword="false"/>). If so, a disconnect does not wait for the other side to hang up.</summary>
    public virtual bool KnowsDelivery => false;

    /// <summary>The bytes that the other side, or the system on its behalf, has taken, also while a send is under way; <see langword="null"/> if the channel cannot tell (the default). The host ends a peer whose count does not grow.</summary>
    public virtual long? SentBytes => null;

    /// <summary>Whether bytes have arrived that were not received yet, as far as the channel can tell (default: <see langword="false"/>). A peer with unread bytes is not silent.</summary>
    public virtual bool HasUnread => false;

    /// <summary>Sends bytes. Completes when the channel has taken all of them; waits while the other side does not read.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="delivery">How they have to be delivered, if the channel <see cref="UsesDelivery"/>.</param>
    /// <param name="cancellationToken">Ends the wait. The channel cannot be used afterwards.</param>
    /// <exception cref="TransportClosedException">Thrown when the other side is gone, or this side aborted the channel.</exception>
    public abstract ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken);

    /// <summary>Receives the bytes that are there, at least one.</summary>
    /// <param name="buffer">The memory to fill; not empty.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The number of bytes received; 0 when the other side has closed and everything that it sent was received.</returns>
    /// <exception cref="TransportClosedException">Thrown when the other side broke off, or this side aborted the channel.</exception>
    public abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Receives whole frames in memory of the channel. Called if the channel <see cref="LendsFrames"/>.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The frames, which the caller reads and may zero until it calls <see cref="ReturnFrames"/>, which it does before it receives again; empty at the end.</returns>
    /// <exception cref="TransportClosedException">Thrown when the other side broke off, or this side aborted the channel.</exception>
    public virtual ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{GetType()} fills the caller's memory: call ReceiveAsync.");

    /// <summary>Returns what <see cref="ReceiveFramesAsync"/> lent, if anything. Also called after an abort, and only by the receiver.</summary>
    public virtual void ReturnFrames()
    {
    }

    /// <summary>Breaks off: sends and receives under way end soon, and bytes that were not received yet may be lost.</summary>
    public abstract void Abort();

    /// <summary>Says that nothing more will be sent, and lets the other side receive what was sent. Then frees what the channel holds.</summary>
    /// <remarks>A transport may wait for the other side to close as well, for up to a second. Called any number of times, from any thread.</remarks>
    public abstract ValueTask DisposeAsync();

    /// <summary>Returns the <see cref="RemoteIdentity"/> for a remote address.</summary>
    /// <param name="remote">The remote address. Its port does not count.</param>
    /// <returns>The IPv4 address, or the network of 64 bits of an IPv6 address, or <see langword="null"/> for a loopback address and for anything but an IP address.</returns>
    protected static string? GetIdentity(EndPoint? remote) => AddressGroup.Of(remote);
}
