using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ConnectionStateMachineTests
{
    private const int C = (int)ConnectionState.Connecting;
    private const int H = (int)ConnectionState.Handshaking;
    private const int A = (int)ConnectionState.Authenticating;
    private const int O = (int)ConnectionState.Open;
    private const int G = (int)ConnectionState.Closing;
    private const int E = (int)ConnectionState.Closed;

    /// <summary>Every state that may follow, for each state. What is not here is refused.</summary>
    public static TheoryData<int, int[]> Allowed => new()
    {
        { C, [H, O, G, E] },
        { H, [A, O, G, E] },
        { A, [O, G, E] },
        { O, [G, E] },
        { G, [E] },
        { E, [] },
    };

    [Theory]
    [MemberData(nameof(Allowed))]
    public void TryMoveTo_enters_allowed_states_and_refuses_all_others(int from, int[] allowed)
    {
        foreach (var next in Enum.GetValues<ConnectionState>())
        {
            var machine = MachineIn((ConnectionState)from);

            var hasMoved = machine.TryMoveTo(next, DisconnectReason.Kicked);

            Assert.Equal(allowed.Contains((int)next), hasMoved);
            Assert.Equal(hasMoved ? next : (ConnectionState)from, machine.State);
        }
    }

    [Fact]
    public void Handshake_accepts_messages_only_when_it_is_complete()
    {
        var machine = default(ConnectionStateMachine);
        Assert.True(machine.TryMoveTo(ConnectionState.Handshaking));
        Assert.False(machine.AcceptsMessages || machine.IsConnected || machine.WasOpen);

        Assert.True(machine.TryMoveTo(ConnectionState.Authenticating));
        Assert.True(machine.AcceptsMessages && machine.IsConnected && !machine.WasOpen);

        Assert.True(machine.TryMoveTo(ConnectionState.Open));
        Assert.True(machine.AcceptsMessages && machine.IsConnected && machine.WasOpen);
    }

    [Theory]
    [InlineData(H, false, false)]
    [InlineData(A, true, false)]
    [InlineData(O, true, true)]
    public void Closing_and_closed_keep_what_was_reached(int reached, bool acceptsMessages, bool wasOpen)
    {
        var machine = MachineIn((ConnectionState)reached);

        Assert.True(machine.TryMoveTo(ConnectionState.Closing, DisconnectReason.Kicked));
        Assert.Equal((acceptsMessages, acceptsMessages, wasOpen), (machine.AcceptsMessages, machine.IsConnected, machine.WasOpen));
        Assert.Null(machine.EndReason);

        Assert.True(machine.TryMoveTo(ConnectionState.Closed, DisconnectReason.Kicked));
        Assert.Equal((acceptsMessages, false, wasOpen), (machine.AcceptsMessages, machine.IsConnected, machine.WasOpen));
    }

    [Fact]
    public void End_of_a_closing_connection_has_the_reason_of_the_goodbye()
    {
        foreach (var end in Enum.GetValues<DisconnectReason>())
        {
            var machine = MachineIn(ConnectionState.Open);
            machine.TryMoveTo(ConnectionState.Closing, DisconnectReason.Kicked);

            machine.TryMoveTo(ConnectionState.Closed, end);

            Assert.Equal(DisconnectReason.Kicked, machine.EndReason);
        }
    }

    [Fact]
    public void Second_end_does_not_change_the_reason()
    {
        var machine = MachineIn(ConnectionState.Open);
        Assert.True(machine.TryMoveTo(ConnectionState.Closed, DisconnectReason.ConnectionLost));

        Assert.False(machine.TryMoveTo(ConnectionState.Closed, DisconnectReason.Kicked));

        Assert.Equal(DisconnectReason.ConnectionLost, machine.EndReason);
    }

    [Fact]
    public async Task Of_threads_that_end_a_connection_one_succeeds()
    {
        for (var round = 0; round < 100; round++)
        {
            var shared = new Shared();
            shared.Machine.TryMoveTo(ConnectionState.Open);
            var ends = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(shared.TryEnd))).InTime();
            Assert.Single(ends, static hasEnded => hasEnded);
        }
    }

    private static ConnectionStateMachine MachineIn(ConnectionState state)
    {
        var machine = default(ConnectionStateMachine);
        if (state == ConnectionState.Authenticating)
            Assert.True(machine.TryMoveTo(ConnectionState.Handshaking));
        Assert.Equal(state != ConnectionState.Connecting, machine.TryMoveTo(state, DisconnectReason.Kicked));
        Assert.Equal(state, machine.State);
        return machine;
    }

    private sealed class Shared
    {
        public ConnectionStateMachine Machine;
        private int _waiting = 4;

        public bool TryEnd()
        {
            Interlocked.Decrement(ref _waiting);
            var spin = default(SpinWait);
            while (Volatile.Read(ref _waiting) > 0)
                spin.SpinOnce();
            return Machine.TryMoveTo(ConnectionState.Closed, DisconnectReason.ConnectionLost);
        }
    }
}
