using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The other side of a connection: to send to, to ask, and to tell whose message a handler has.</summary>
/// <remarks>Thread-safe. What one thread sends arrives in that order.</remarks>
public sealed partial class Peer
{
    // A lock of its own: the program's code runs under it.
    private readonly object _extensionGate = new();

    internal Peer(MessageHost host, TransportChannel channel, long id)
    {
        (Host, Id) = (host, id);
        Connection = new Connection(channel, host.Resources, this, needsLogin: host.Login.CredentialsType is not null);
        Fifo = Connection.IsPlain ? new FifoExchange(Connection.Outbox, host.Options.Limits.MaxUnansweredRequests) : null;
        Requests = new RequestSender(Connection, this, host.Resources, host.RequestCounters, Fifo);
        Replies = new ReplySender(Connection, this, host.Resources, host.RequestCounters, Fifo);
        Answering = new InFlightRequests(e => Host.Events.ReportFailure(this, 0, e));
        Traffic = new PeerTraffic(host.Options);
        Groups = new GroupMemberships(this);
    }

    /// <summary>A number that no other peer of the host has or had.</summary>
    public long Id { get; }

    /// <summary>The host that the peer is connected to.</summary>
    public MessageHost Host { get; }

    /// <summary>Its address, path or name, for people.</summary>
    public string RemoteName => Connection.RemoteName;

    /// <summary>How long a ping took to come back, the last time; zero before the first.</summary>
    public TimeSpan RoundTripTime => Connection.KeepAlive.RoundTripTime;

    /// <summary>Whether messages can be sent to it.</summary>
    public bool IsConnected => Connection.IsConnected;

    /// <summary>Why it is gone; null while it is not.</summary>
    public DisconnectReason? Disconnected => Connection.EndReason;

    /// <summary>Why the other side disconnected this one, as it says: read it when <see cref="Disconnected"/> is <see cref="DisconnectReason.Goodbye"/>. Null if it did not say, or says what this version does not know.</summary>
    public DisconnectReason? GoodbyeReason => Connection.Goodbye?.Reason;

    /// <summary>What the other side said when it disconnected this one, for people; null if it said nothing. Never longer than 1024 bytes.</summary>
    public string? GoodbyeText => Connection.Goodbye?.Text;

    /// <summary>The largest message that can be sent to it, in bytes: what the other side said that it takes, and what the transport carries.</summary>
    public int MaxMessageSize => Connection.MaxMessageSize;

    /// <summary>Anything that the program wants to find again in a handler.</summary>
    public object? Tag { get; set; }

    /// <summary>The state that a package built on hosts keeps with the peer, or <c>null</c>. Programs use <see cref="Tag"/>.</summary>
    [EditorBrowsable(EditorBrowsableState.Advanced)]
    public object? ExtensionState { get; private set; }

    internal Connection Connection { get; }

    internal RequestSender Requests { get; }

    internal ReplySender Replies { get; }

    /// <summary>The requests of the remote side that wait for a pump, or whose handlers run.</summary>
    internal InFlightRequests Answering { get; }

    /// <summary>What matches requests and replies with a peer that has no correlation ids, and no control messages either; null for every other.</summary>
    internal FifoExchange? Fifo { get; }

    internal PeerTraffic Traffic { get; }

    internal GroupMemberships Groups { get; }

    /// <summary>How far the host's listeners know of it.</summary>
    internal int Announcement;

    internal int RunningHandlers;

    /// <summary>The number of messages that sends to this peer did not take, by status. 0 for <see cref="SendStatus.Sent"/>, which is not counted.</summary>
    /// <remarks>What is counted is described at <see cref="MessageHost.GetCount(SendStatus)"/>.</remarks>
    public long GetCount(SendStatus status) => Connection.Sends.Get(status);

    /// <summary>Returns <see cref="ExtensionState"/>, and creates it on the first call.</summary>
    /// <param name="create">Creates the state. Called at most once; other callers for the same peer wait.</param>
    /// <param name="argument">Passed to <paramref name="create"/>, so that it needs no closure.</param>
    [EditorBrowsable(EditorBrowsableState.Advanced)]
    public object GetOrCreateExtensionState<TArgument>(Func<Peer, TArgument, object> create, TArgument argument)
    {
        ArgumentNullException.ThrowIfNull(create);
        lock (_extensionGate)
            return ExtensionState ??= create(this, argument);
    }

    /// <summary>Holds back what is sent to the peer until <see cref="Uncork"/>, so that it is written at once. Calls nest.</summary>
    /// <remarks>Messages are written earlier when more than 64 KiB wait, and by the host's timer about every 50 ms. Thread-safe. Allocates nothing.</remarks>
    public void Cork() => Connection.Outbox.Cork();

    /// <summary>Ends a <see cref="Cork"/>. The last call starts to write on this thread, as far as the transport takes it at once.</summary>
    public void Uncork() => Connection.Outbox.Uncork();

    /// <summary>Sends an event by its type's declared contract. Never waits.</summary>
    /// <inheritdoc cref="Send{T}(MessageContract{T}, in T)"/>
    public SendStatus Send<T>(in T message) => Send(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event. Never waits.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <returns>Whether it will be written. Nothing says that it arrives; the reply to a request does.</returns>
    /// <remarks>Never throws for what the peer did or declared: a full, closed or refused message is a status, and is counted.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public SendStatus Send<T>(MessageContract<T> contract, in T message) => Connection.Count(Offer(contract, in message, out _));

    /// <summary>Sends a message that is packed already: to many peers, say. It stays the caller's to dispose.</summary>
    /// <returns>Whether it will be written. Nothing says that it arrives; the reply to a request does.</returns>
    /// <remarks>The message's contract is not compared with the peer's.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of the transport.</exception>
    public SendStatus Send(PackedMessage message) => Send(message, isSecret: false);

    /// <summary>The same with a message whose bytes are to be zeroed behind it.</summary>
    /// <param name="message">The message.</param>
    /// <param name="isSecret">Whether to zero it.</param>
    /// <inheritdoc cref="Send(PackedMessage)"/>
    public SendStatus Send(PackedMessage message, bool isSecret)
    {
        Connection.ThrowIfTooLarge(message, null);
        return Connection.Count(Connection.Offer(null, message, isSecret));
    }

    /// <summary>Sends an event by its type's declared contract, once there is room.</summary>
    /// <inheritdoc cref="SendAsync{T}(MessageContract{T}, T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(T message, CancellationToken cancellationToken = default) =>
        SendAsync(MessageContract.GetDeclared<T>(), message, cancellationToken);

    /// <summary>Sends an event, once there is room.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The status, which is never <see cref="SendStatus.Full"/>.</returns>
    /// <exception cref="OperationCanceledException">The wait was ended; nothing was sent.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public ValueTask<SendStatus> SendAsync<T>(MessageContract<T> contract, T message, CancellationToken cancellationToken = default)
    {
        var status = Offer(contract, in message, out var size);
        return status == SendStatus.Full ? WaitAndSendAsync(contract, message, size, cancellationToken) : new ValueTask<SendStatus>(Connection.Count(status));
    }

    /// <summary>Completes when everything that was sent so far is written, or the peer is gone.</summary>
    public Task FlushAsync() => Connection.Outbox.FlushAsync();

    /// <summary>Says goodbye, lets what was sent so far out for up to a second, and disconnects.</summary>
    public Task DisconnectAsync() => Connection.CloseAsync(DisconnectReason.Requested, awaitsEnd: Announcement == PeerAnnouncement.Made);

    /// <summary>Disconnects it and says why: the text is the <see cref="GoodbyeText"/> of the other side. What was sent before goes out first, for up to a second.</summary>
    /// <param name="reason">For people: up to 1024 bytes of UTF-8.</param>
    /// <exception cref="ArgumentException">It is longer.</exception>
    public Task KickAsync(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        var size = Encoding.UTF8.GetByteCount(reason);
        if (size > Goodbye.MaxText)
            throw new ArgumentException($"The reason is {size} bytes long, and a goodbye's text {Goodbye.MaxText} at most. Send a message for more.", nameof(reason));
        return Connection.CloseAsync(DisconnectReason.Kicked, awaitsEnd: Announcement == PeerAnnouncement.Made, reason);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{RemoteName} (peer {Id})";

    /// <summary>Sends a message that was packed for many peers, if this peer can have it.</summary>
    internal bool TrySend(MessageContract? contract, PackedMessage packed, bool isSecret = false) =>
        Connection.Count(Connection.OfferShared(contract, packed, isSecret || contract is { IsSecret: true })) == SendStatus.Sent;

    private SendStatus Offer<T>(MessageContract<T> contract, in T message, out int size)
    {
        using var packed = Host.Resources.Writer.Pack(contract, in message);
        size = packed.Length;
        Connection.ThrowIfTooLarge(packed, contract.MessageType);
        return Connection.Offer(contract, packed, contract.IsSecret);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<SendStatus> WaitAndSendAsync<T>(MessageContract<T> contract, T message, int size, CancellationToken cancellationToken)
    {
        while (true)
        {
            await Connection.Outbox.WaitForRoomAsync(size).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = Offer(contract, in message, out size);
            if (status != SendStatus.Full)
                return Connection.Count(status);
        }
    }
}
