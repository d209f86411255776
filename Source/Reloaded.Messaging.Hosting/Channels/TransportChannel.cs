using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Carries bytes between two peers, in order and both ways: all that a transport is.</summary>
/// <remarks>
/// <para>
/// A channel moves bytes and knows nothing of messages. Framing, limits, the handshake, requests and errors are written once, above all
/// channels. What is sent always is whole frames, one or many; what is received may be cut anywhere, and is put together above.
/// </para>
/// <para>
/// <b>Who owns the bytes.</b> Always the caller. Those handed to <see cref="SendAsync"/> stay as they are until its task is done; those
/// that <see cref="ReceiveAsync"/> fills are the channel's until its task is done, and it keeps no reference afterwards. One exception: what
/// <see cref="ReceiveFramesAsync"/> lends is the channel's, and the caller's to read until it is given back.
/// </para>
/// <para>
/// <b>Threads.</b> At most one send and one receive are under way at a time; the two may overlap. Tasks may complete on any thread, and
/// inline. <see cref="Abort"/> may be called at any time, from any thread, any number of times: it makes both fail or end, soon.
/// </para>
/// </remarks>
public abstract class TransportChannel : IAsyncDisposable
{
    /// <summary>The other end, for people: an address, a path, a name.</summary>
    public abstract string RemoteName { get; }

    /// <summary>The group that limits and lock-outs per address count this connection in, or <see langword="null"/> if the other end is on this machine.</summary>
    /// <remarks>For IP transports the address of the other machine; for IPv6 the network of 64 bits that the address is in.</remarks>
    public virtual string? RemoteIdentity => null;

    /// <summary>The largest message that it carries, in bytes; the connection's own may be larger.</summary>
    public virtual int MaxMessageSize => int.MaxValue;

    /// <summary>Whether it hands out what it received in memory of its own: then <see cref="ReceiveFramesAsync"/> is called, and <see cref="ReceiveAsync"/> is not.</summary>
    public virtual bool LendsFrames => false;

    /// <summary>What who sends a larger one can do, for people: whole sentences.</summary>
    public virtual string MaxMessageSizeAdvice => "Send less at a time.";

    /// <summary>Whether the other end is no host of this library: there is no handshake then, no heartbeat, and nothing else of the connection's own.</summary>
    public virtual bool IsForeign => false;

    /// <summary>Whether disposing it waits until the other end has everything: then who disconnects need not wait for the other end to hang up.</summary>
    public virtual bool KnowsDelivery => false;

    /// <summary>The bytes that the other end, or the system on its behalf, has taken; also while a send is under way. <c>null</c> if the channel cannot tell.</summary>
    internal virtual long? SentBytes => null;

    /// <summary>Whether bytes have arrived that were not received yet, as far as the channel can tell.</summary>
    internal virtual bool HasUnread => false;

    /// <summary>The largest message that it carries in the way that it would send this one. Asked on the thread that sends, before the message is taken.</summary>
    /// <param name="message">The message, without a frame.</param>
    /// <exception cref="InvalidOperationException">It carries no such message, of any size.</exception>
    public virtual int GetMaxMessageSize(ReadOnlySpan<byte> message) => MaxMessageSize;

    /// <summary>Sends bytes. Completes when the channel has taken them all; waits while the other end doesn't read.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="cancellationToken">Stops waiting; the channel is of no more use then.</param>
    /// <exception cref="TransportClosedException">The other end is gone, or this one was aborted.</exception>
    public abstract ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken);

    /// <summary>Receives what there is, at least one byte.</summary>
    /// <param name="buffer">What to fill; not empty.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The bytes received; 0 when the other end has closed and everything it sent was received.</returns>
    /// <exception cref="TransportClosedException">The other end broke off, or this one was aborted.</exception>
    public abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Receives what there is, where it is: of a channel that <see cref="LendsFrames"/>.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whole frames, the caller's to read and to zero until it calls <see cref="ReturnFrames"/>, which it does before it receives again; empty at the end.</returns>
    /// <exception cref="TransportClosedException">The other end broke off, or this one was aborted.</exception>
    public virtual ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{GetType()} fills the caller's memory: call ReceiveAsync.");

    /// <summary>Gives back what <see cref="ReceiveFramesAsync"/> lent, if anything. Also after an abort, and by who receives alone.</summary>
    public virtual void ReturnFrames()
    {
    }

    /// <summary>Breaks off: sends and receives under way end soon, and what was not received yet may be lost.</summary>
    public abstract void Abort();

    /// <summary>Says that nothing more will be sent, and lets the other end receive what was. Then frees what the channel holds.</summary>
    /// <remarks>A transport may wait for the other end to close as well, up to a second. Any number of times, from any thread.</remarks>
    public abstract ValueTask DisposeAsync();
}
