using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

/// <summary>One thread at a time pumps a host, and the continuations of handlers run also after the last pump.</summary>
public sealed class PumpThreadTests
{
    private static readonly MessageHostOptions s_pumped = new() { IsPumped = true };

    [Fact]
    public async Task Second_thread_that_pumps_throws()
    {
        using var entered = new ManualResetEventSlim();
        using var leaves = new ManualResetEventSlim();
        MessageServer? nested = null;
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping _, Peer _) =>
            {
                nested!.Pump(); // by its handler, on the same thread
                entered.Set();
                leaves.WaitInTime();
            }),
            serverOptions: s_pumped);
        nested = hosts.Server;
        hosts.Client.Send(new Ping(1));
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == 1);

        var pumping = Deadline.RunAside(() => hosts.Server.Pump());
        await Deadline.RunAside(entered.WaitInTime).InTime();
        Assert.Contains("Another thread is inside Pump", Assert.Throws<InvalidOperationException>(() => hosts.Server.Pump()).Message, StringComparison.Ordinal);
        leaves.Set();
        await pumping.InTime();

        hosts.Server.Pump();
    }

    [Fact]
    public async Task Pump_restores_the_context_of_its_caller()
    {
        SynchronizationContext? inHandler = null;
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping _, Peer _) =>
            {
                inHandler = SynchronizationContext.Current;
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            }),
            serverOptions: s_pumped);
        hosts.Client.Send(new Ping(1));
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == 1);

        var mine = new SynchronizationContext();
        await Deadline.RunAside(() =>
        {
            SynchronizationContext.SetSynchronizationContext(mine);
            hosts.Server.Pump();
            Assert.Same(mine, SynchronizationContext.Current);
        }).InTime();

        Assert.NotNull(inHandler);
        Assert.NotSame(mine, inHandler);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_that_waits_when_its_host_is_disposed_goes_on(bool stops)
    {
        var (begun, ended) = (Signal.New<bool>(), Signal.New<SynchronizationContext?>());
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On(async (Ping _, Peer _, CancellationToken token) =>
            {
                begun.SetResult(true);
                try
                {
                    await Task.Delay(Timeout.Infinite, token);
                }
                finally
                {
                    await Task.Yield();
                    ended.SetResult(SynchronizationContext.Current);
                }
            }),
            serverOptions: s_pumped with { StopTimeout = TimeSpan.FromMilliseconds(1) });
        hosts.Client.Send(new Ping(1));
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == 1);
        hosts.Server.Pump();
        await begun.Task.InTime();

        await (stops ? hosts.Server.StopAsync() : hosts.Server.DisposeAsync().AsTask()).InTime();

        Assert.Same(hosts.Server.Inbox, await ended.Task.InTime());
    }

    /// <summary>A game may call Pump once more while its host is disposed. The continuations of that time belong to the library.</summary>
    [Fact]
    public async Task Pump_of_a_disposed_host_does_nothing_while_its_last_handlers_run_on_the_thread_pool()
    {
        var (begun, ended) = (Signal.New<bool>(), Signal.New<bool>());
        using var runs = new ManualResetEventSlim();
        using var leaves = new ManualResetEventSlim();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On(async (Ping _, Peer _, CancellationToken token) =>
            {
                begun.SetResult(true);
                try
                {
                    await Task.Delay(Timeout.Infinite, token);
                }
                finally
                {
                    runs.Set();
                    leaves.WaitInTime();
                    ended.SetResult(true);
                }
            }),
            serverOptions: s_pumped);
        hosts.Client.Send(new Ping(1));
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == 1);
        hosts.Server.Pump();
        await begun.Task.InTime();
        await hosts.Server.DisposeAsync().AsTask().InTime();
        await Deadline.RunAside(runs.WaitInTime).InTime();

        Assert.Equal(default, hosts.Server.Pump());

        leaves.Set();
        await ended.Task.InTime();
    }
}
