using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <summary>No code of the program runs under a lock of the library: docs/internals/locking.md, rule 1.</summary>
public sealed class LockTests
{
    [Fact]
    public Task Updates_and_clocks_of_loops_run_under_no_lock() => LockScenario.CheckAsync(TickAsync);

    [Fact]
    public Task Tracked_objects_are_used_under_no_lock() => LockScenario.CheckAsync(TrackAsync);

    /// <summary>A loop that pumps a host, with the messages and the taps of its flush, the clock, and the event of a failed update.</summary>
    internal static async Task TickAsync()
    {
        var time = new CheckingTime("clock");
        var server = await MessageHost.ListenAsync(
            MessageEndpoint.InProcess("lock-ticks"),
            static host =>
            {
                host.Tap(static (in TappedMessage message) => Check($"tap: {message.Direction} {message.Header.Kind}"));
                host.On(static (in Ping _, Peer _) => Check("event handler"));
            },
            new MessageHostOptions { IsPumped = true });
        var client = await MessageHost.ConnectAsync(server.Endpoint, static host => host.On(static (in Pong _, Peer _) => Check("received event")));
        var loop = new TickLoop(
            (in Tick tick) =>
            {
                Check("update");
                server.Broadcast(new Pong(1));
                if (tick.Number % 5 == 0)
                    throw new InvalidOperationException("For Failed.");
            },
            new TickLoopOptions { Host = server, TimeProvider = time, Interval = TimeSpan.FromMilliseconds(5) });
        loop.Failed += static _ => Check("Failed");
        loop.Start();
        client.Send(new Ping(1));
        await UntilCalledAsync("update", "event handler", "received event", "Failed", "tap: Sent Event", "tap: Received Event");
        await LockScenario.AwaitInContextAsync("context of a stop", loop.StopAsync);
        await UntilCalledAsync("clock: GetTimestamp", "clock: CreateTimer", "clock: Change", "clock: Dispose");
        await client.DisposeAsync();
        await server.DisposeAsync();
    }

    /// <summary>The fields of tracked objects that are collected, written and applied.</summary>
    internal static async Task TrackAsync()
    {
        var contract = EntityUpdate.CreateContract(120);
        var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("lock-tracking"), host => host.On(contract, static (in EntityUpdate update, Peer _) =>
        {
            var reader = update.GetReader();
            while (reader.TryNext(out uint _, out bool _))
                reader.TryApply(new Entity());
        }));
        var client = await MessageHost.ConnectAsync(server.Endpoint);
        using var changes = new EntityChanges();
        changes.Collect(1, new Entity { ChangedFields = 1 });
        client.Server.Send(contract, changes.All);
        await UntilCalledAsync("AllFields", "ChangedFields", "WriteFields", "TryReadFields");
        await client.DisposeAsync();
        await server.DisposeAsync();
    }

    private sealed class Entity : ITracked
    {
        private uint _changed;

        public uint AllFields
        {
            get
            {
                Check("AllFields");
                return 1;
            }
        }

        public uint ChangedFields
        {
            get
            {
                Check("ChangedFields");
                return _changed;
            }
            set => _changed = value;
        }

        public void WriteFields(uint fields, MessageBuffer buffer)
        {
            Check("WriteFields");
            buffer.WriteUVarint(1);
        }

        public bool TryReadFields(uint fields, ref PayloadReader reader)
        {
            Check("TryReadFields");
            return reader.TryReadUVarint(out _);
        }
    }
}
