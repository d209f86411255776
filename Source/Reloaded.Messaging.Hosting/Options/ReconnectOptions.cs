using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>How a client connects again by itself, and for the first time to a server that is not there yet. Immutable.</summary>
/// <remarks>
/// <para>
/// The client stays the same object: its handlers stay, its <see cref="MessageClient.Server"/> becomes the new peer.
/// <see cref="MessageHost.PeerDisconnected"/> says that a connection is lost, <see cref="MessageHost.PeerConnected"/> that there is a new
/// one, and <see cref="MessageClient.ReconnectFailed"/> what was tried in vain.
/// </para>
/// <para>
/// It is tried after each loss but one that this side asked for, and after each failure that may pass: nobody listens, no process, no server
/// yet, refused. Meanwhile <c>Send</c> says Closed. <see cref="MessageClient.WaitForConnectionAsync"/> waits for the next connection, and
/// <see cref="MessageClient.State"/> tells whether there is one.
/// </para>
/// </remarks>
public sealed class ReconnectOptions
{
    /// <summary>How long to wait before the first attempt; 100 ms by default. Each one after waits twice as long.</summary>
    public TimeSpan FirstDelay { get; init => field = Guard.Positive(value); } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest wait; 5 s by default.</summary>
    public TimeSpan MaxDelay { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(5);

    /// <summary>By what share of it a wait may be longer or shorter, so that not all clients of a server come back at once: 0 to 1, by default 0.2.</summary>
    public double Jitter
    {
        get;
        init => field = Guard.Between(0.0, 1.0, value);
    } = 0.2;

    /// <summary>Whether requests without a reply are sent again, in their order, and new ones wait for the connection; false by default: all fail at once, as Disconnected or NotSent.</summary>
    /// <remarks>
    /// At most <see cref="HostLimits.MaxUnansweredRequests"/> requests wait at once; a further request ends as <see cref="RequestStatus.Full"/>. Requests that
    /// waited are sent in order as there is room for them.
    /// The server may handle such a request twice: a reply that is lost can't be told from a request that is. Each ends once, and its timeout
    /// goes on through all attempts. It is packed again each time: a message that is an object has to stay as it is. For requests by the
    /// client's own methods; those of <see cref="MessageClient.Server"/> are that connection's.
    /// </remarks>
    public bool ResendsRequests { get; init; }

    /// <summary>Says before each attempt where to try: at the new process of a game that was restarted, say. If it is not set, the same endpoint is tried.</summary>
    /// <remarks>
    /// It returns <c>null</c> to give up. Any thread. An exception that it throws is a failed attempt: <see cref="MessageClient.ReconnectFailed"/> tells of
    /// it, the next attempt follows, and <see cref="MessageHost.HandlerFailed"/> tells of it too unless access was denied or it is an <c>IOException</c>.
    /// During <see cref="MessageHost.ConnectAsync"/> an <c>IOException</c> is a failed attempt; any other exception is thrown to the caller.
    /// </remarks>
    public Func<ReconnectAttempt, ValueTask<MessageEndpoint?>>? NextEndpoint { get; init; }
}
