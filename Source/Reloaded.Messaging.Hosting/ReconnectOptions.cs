using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The options for connecting a client again automatically, and for waiting for a server at the first connection. Immutable.</summary>
/// <remarks>
/// <para>
/// The client stays the same object. Its handlers stay, and its <see cref="MessageClient.Server"/> is a new peer for each connection.
/// <see cref="MessageHost.PeerDisconnected"/> is raised when the connection is lost, <see cref="MessageHost.PeerConnected"/> when the client has reconnected,
/// and <see cref="MessageClient.ReconnectFailed"/> after each failed attempt.
/// </para>
/// <para>
/// The client reconnects after each lost connection, except when this side ended the connection. The first connection is repeated only after failures that
/// can pass, for example when the server is not running or is full. While there is no connection, <c>Send</c> returns <see cref="SendStatus.Closed"/>.
/// <see cref="MessageClient.WaitForConnectionAsync"/> waits for the next connection, and <see cref="MessageClient.State"/> is the current state.
/// </para>
/// </remarks>
public sealed record ReconnectOptions
{
    /// <summary>The maximum delay before an attempt (more than zero; default: 5 s). The first attempt follows after 100 ms, or after a shorter maximum. The delay doubles after each attempt. Each delay varies by a random fifth.</summary>
    public TimeSpan MaxDelay { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(5);

    /// <summary>The delay before the first attempt. Constant: a restart takes longer, and the delay doubles.</summary>
    internal TimeSpan FirstDelay { get => field > TimeSpan.Zero ? field : TimeSpan.FromTicks(Math.Min(TimeSpan.TicksPerMillisecond * 100, MaxDelay.Ticks)); init; }

    /// <summary>Random jitter applied to each delay, as a fraction, so that the clients of a server do not reconnect at the same time. Constant: only a test needs exact delays.</summary>
    internal double Jitter { get; init; } = 0.2;

    /// <summary>Whether unanswered requests are sent again in their order, and new requests wait for the connection (default: <see langword="false"/>). Otherwise, they end at once as <see cref="RequestStatus.Disconnected"/> or <see cref="RequestStatus.NotSent"/>.</summary>
    /// <remarks>
    /// At most 1024 requests wait at once; a further request ends as <see cref="RequestStatus.Full"/>. Requests that
    /// waited are sent in their order when there is room for them.
    /// The server may handle such a request twice, because the client cannot distinguish a lost reply from a lost request. Each request ends once, and its
    /// timeout includes all attempts. The request is packed again for each attempt, so do not modify a request object before it ends. The option applies to the
    /// methods of the client. Requests by the methods of <see cref="MessageClient.Server"/> are not sent again.
    /// </remarks>
    public bool ResendsRequests { get; init; }

    /// <summary>Returns the endpoint for each attempt after the first, for example the new process of a game that was restarted. If not set, the client uses the same endpoint.</summary>
    /// <remarks>
    /// The callback receives the failure of the attempt before, also during the first <see cref="MessageHost.ConnectAsync"/>. It returns <c>null</c> to give up. It may be called on any thread. An exception that it throws counts as a failed attempt:
    /// <see cref="MessageClient.ReconnectFailed"/> is raised, and the next attempt follows. <see cref="MessageHost.HandlerFailed"/> is also raised, unless the exception
    /// is an <c>IOException</c> or access was denied. During <see cref="MessageHost.ConnectAsync"/>, only an <c>IOException</c> counts as a failed attempt; any other
    /// exception is thrown to the caller.
    /// </remarks>
    public Func<ReconnectAttempt, ValueTask<MessageEndpoint?>>? NextEndpoint { get; init; }

    /// <summary>Returns whether the options are the same object. Their values are not compared.</summary>
    /// <param name="other">Other options.</param>
    public bool Equals(ReconnectOptions? other) => ReferenceEquals(this, other);

    /// <inheritdoc/>
    public override int GetHashCode() => RuntimeHelpers.GetHashCode(this);

    /// <summary>The text of options has no values.</summary>
    [SuppressMessage("Performance", "CA1822", Justification = "The compiler asks for an instance method.")]
    private bool PrintMembers(StringBuilder builder) => false;
}
