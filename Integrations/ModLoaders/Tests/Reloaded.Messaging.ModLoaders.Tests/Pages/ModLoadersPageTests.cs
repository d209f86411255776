using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Loader;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(40)]
public readonly record struct WhichThread;

[Message(41)]
public readonly record struct ThisThread(int Id);

/// <summary>What docs/mod-loaders.md shows, compiled and run.</summary>
public sealed class ModLoadersPageTests
{
    private static int s_names;

    private readonly List<HandlerRegistration> _registrations = [];
    private readonly string _name = $"page-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    [Fact]
    public async Task A_game_answers_where_it_pumps_and_its_tool_finds_it_again()
    {
        var (name, processId) = (_name, Environment.ProcessId);
        var first = await MessageHost.ListenAsync(MessageEndpoint.OfProcess(processId, name), Register, new MessageHostOptions { IsPumped = true });
        var options = new MessageHostOptions
        {
            Reconnect = new ReconnectOptions
            {
                ResendsRequests = true,
                MaxDelay = TimeSpan.FromMilliseconds(250),
                NextEndpoint = attempt => new(MessageEndpoint.FindServers(name) is [var found, ..] ? found : attempt.Endpoint),
            },
        };
        await using var tool = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(processId, name), options: options);
        await AskAsync(first, tool);
        await first.DisposeAsync();

        for (var load = 1; load <= 3; load++)
        {
            await using var game = await MessageHost.ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, name), Register, new MessageHostOptions { IsPumped = true });
            game.Pump(PumpBudget.Time(TimeSpan.FromMilliseconds(2)));
            await AskAsync(game, tool);

            Assert.Equal(load, tool.Reconnects);
        }
    }

    [Fact]
    public async Task A_port_and_a_token_do_where_nothing_is_found_by_id()
    {
        var (port, token) = (0, RandomNumberGenerator.GetBytes(32));
        await using var inside = await MessageHost.ListenAsync(MessageEndpoint.Tcp(port), Register, new MessageHostOptions { IsPumped = true, Token = token });
        port = inside.Endpoint.Port;
        await using var outside = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(port), options: new MessageHostOptions { Token = token });
        await AskAsync(inside, outside);
    }

    [Fact]
    public async Task Crossing_elevation_makes_no_difference_where_there_is_none()
    {
        var (pid, name) = (Environment.ProcessId, _name);
        var endpoint = MessageEndpoint.OfProcess(pid, name, allowElevationMismatch: true);
        await using var game = await MessageHost.ListenAsync(endpoint, Register);
        await using var tool = await MessageHost.ConnectAsync(endpoint);
        Assert.NotEqual(0, (await tool.RequestAsync<WhichThread, ThisThread>(default).AsTask().InTime()).Id);
    }

    [Fact]
    public async Task A_mods_handlers_are_gone_when_it_is_unloaded()
    {
        await using var game = await MessageHost.ListenAsync(MessageEndpoint.InProcess(_name), Register);
        await using var tool = await MessageHost.ConnectAsync(game.Endpoint);
        var (registrations, context, unloaded) = (_registrations, new AssemblyLoadContext("a mod", isCollectible: true), Signal.New<bool>());
        context.Unloading += _ => unloaded.SetResult(true);

        foreach (var registration in registrations)
            registration.Dispose();
        context.Unload();

        Assert.True(await unloaded.Task.InTime());
        Assert.Equal(FaultCode.NoHandler, (await tool.TryRequestAsync<WhichThread, ThisThread>(default).AsTask().InTime()).Fault?.Code);
        await Assert.ThrowsAsync<InvalidOperationException>(() => registrations[0].DisposeAsync().AsTask());
    }

    [Fact]
    public void The_page_shows_what_is_compiled_here()
    {
        var shown = Page.ReadShown("mod-loaders.md");

        Assert.InRange(shown.Count, 15, 50);
        Assert.Empty(shown.Except(Page.ReadCode("ModLoadersPageTests.cs.txt")));
    }

    private static async Task AskAsync(MessageServer game, MessageClient tool)
    {
        var asking = tool.RequestAsync<WhichThread, ThisThread>(default, Deadline.Length).AsTask();
        var pumping = 0;
        await Signal.UntilAsync(() =>
        {
            if (game.Pump().Pumped > 0)
                pumping = Environment.CurrentManagedThreadId;
            return asking.IsCompleted;
        });
        Assert.Equal(new ThisThread(pumping), await asking);
    }

    private void Register(MessageServer server) =>
        _registrations.Add(server.OnRequest((WhichThread _) => new ThisThread(Environment.CurrentManagedThreadId)));
}
