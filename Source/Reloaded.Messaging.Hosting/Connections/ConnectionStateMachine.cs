using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The state of a connection, the states that it has reached, and the reason of its end. Thread-safe.</summary>
/// <remarks>
/// <see cref="TryMoveTo"/> makes every change by one compare-and-swap of an integer. A state is entered at most once, and only from an earlier state.
/// Therefore only one caller enters a state, and does the work of that state.
/// </remarks>
internal struct ConnectionStateMachine
{
    private const int StateBits = 7;
    private const int AcceptsMessagesBit = 8;
    private const int WasOpenBit = 16;
    private const int ReasonShift = 8;

    private int _value;

    /// <summary>The current state.</summary>
    public ConnectionState State => StateOf(Volatile.Read(ref _value));

    /// <summary>Whether the handshake was completed, so that messages can be sent. Stays <c>true</c> after the end.</summary>
    public bool AcceptsMessages => (Volatile.Read(ref _value) & AcceptsMessagesBit) != 0;

    /// <summary>Whether the connection has been <see cref="ConnectionState.Open"/>, so that its messages are handled. Stays <c>true</c> after the end.</summary>
    public bool WasOpen => (Volatile.Read(ref _value) & WasOpenBit) != 0;

    /// <summary>Whether the handshake was completed and the connection has not ended.</summary>
    public bool IsConnected
    {
        get
        {
            var value = Volatile.Read(ref _value);
            return (value & AcceptsMessagesBit) != 0 && StateOf(value) != ConnectionState.Closed;
        }
    }

    /// <summary>The reason of the end. <c>null</c> before <see cref="ConnectionState.Closed"/>.</summary>
    public DisconnectReason? EndReason
    {
        get
        {
            var value = Volatile.Read(ref _value);
            return StateOf(value) == ConnectionState.Closed ? ReasonOf(value) : null;
        }
    }

    /// <summary>Enters a state.</summary>
    /// <param name="next">The state.</param>
    /// <param name="reason">The reason. Used for <see cref="ConnectionState.Closing"/> and <see cref="ConnectionState.Closed"/>.</param>
    /// <returns><c>true</c> if the state was entered; <c>false</c> if it cannot follow the current state.</returns>
    public bool TryMoveTo(ConnectionState next, DisconnectReason reason = default)
    {
        while (true)
        {
            var value = Volatile.Read(ref _value);
            if (!IsAllowed(StateOf(value), next))
                return false;
            if (Interlocked.CompareExchange(ref _value, Next(value, next, reason), value) == value)
                return true;
        }
    }

    private static bool IsAllowed(ConnectionState from, ConnectionState to) => to switch
    {
        ConnectionState.Handshaking => from == ConnectionState.Connecting,
        ConnectionState.Authenticating => from is ConnectionState.Connecting or ConnectionState.Handshaking, // a foreign connection has no handshake
        ConnectionState.Open => from < ConnectionState.Open,
        ConnectionState.Closing => from < ConnectionState.Closing,
        ConnectionState.Closed => from < ConnectionState.Closed,
        _ => false,
    };

    private static int Next(int value, ConnectionState next, DisconnectReason reason)
    {
        var reached = value & (AcceptsMessagesBit | WasOpenBit);
        switch (next)
        {
            case ConnectionState.Authenticating:
                reached |= AcceptsMessagesBit;
                break;
            case ConnectionState.Open:
                reached |= AcceptsMessagesBit | WasOpenBit;
                break;
            case ConnectionState.Closed when StateOf(value) == ConnectionState.Closing && reason is (DisconnectReason.ConnectionLost or DisconnectReason.Goodbye):
                reason = ReasonOf(value); // the remote side closes the connection after this side's goodbye, and that is not the reason of the end
                break;
        }

        return (int)next | reached | ((int)reason << ReasonShift);
    }

    private static ConnectionState StateOf(int value) => (ConnectionState)(value & StateBits);

    private static DisconnectReason ReasonOf(int value) => (DisconnectReason)(value >> ReasonShift);
}
