using System.Linq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

public sealed class HostedProgramTests
{
    private sealed class Scope
    {
        private static int s_last;

        public int Number { get; } = Interlocked.Increment(ref s_last);
    }

    private sealed class CountHandler(Scope first, Scope second) : IRequestHandler<Count, Counted>
    {
        public ValueTask<Counted> HandleAsync(Count request, Peer from, CancellationToken cancellationToken) =>
            new(new Counted(first.Number == second.Number ? request.Start + 1 : -1, first.Number));
    }

    private sealed class SayingHandler(ILogger<SayingHandler> log) : IRequestHandler<Count, Counted>
    {
        public async ValueTask<Counted> HandleAsync(Count request, Peer from, CancellationToken cancellationToken)
        {
            await Task.Yield();
            log.Log(LogLevel.Information, new EventId(1000), LogRecorder.NoProperties, null, static (_, _) => "counting");
            return default;
        }
    }

    private sealed class SuspendHandler : IEventHandler<Suspend>
    {
        public ValueTask HandleAsync(Suspend message, Peer from, CancellationToken cancellationToken) => throw new InvalidOperationException("broken");
    }

    [Fact]
    public async Task Handlers_and_events_see_no_async_local_of_the_start_of_the_program()
    {
        var local = new AsyncLocal<object?> { Value = new object() };
        var seen = Signal.New<object?>();
        var connected = Signal.New<object?>();
        var log = new LogRecorder();
        var name = $"worker-{Guid.NewGuid():N}";
        var builder = TestProgram.Create(log, ("game:Endpoint", $"in-process:{name}"), ("tool:Endpoint", $"in-process:{name}"), ("tool:Reconnect:MaxDelay", "00:00:00.01"));
        builder.Services.AddMessageServer("game", (_, server) => server.On((Suspend _) => seen.TrySetResult(local.Value)));
        builder.Services.AddMessageClient("tool", (_, client) => client.PeerConnected += _ => connected.TrySetResult(local.Value));
        using var program = builder.Build();

        await program.StartAsync();
        var tool = await program.Services.GetRequiredKeyedService<MessageHostAccessor<MessageClient>>("tool").WaitAsync().InTime();
        Assert.Equal(SendStatus.Sent, tool.Send(new Suspend(1)));

        Assert.Null(await seen.Task.InTime());
        Assert.Null(await connected.Task.InTime());
        await program.StopAsync();
    }

    [Fact]
    public async Task Server_and_client_start_and_stop_with_the_program()
    {
        var log = new LogRecorder();
        var name = $"worker-{Guid.NewGuid():N}";
        var builder = TestProgram.Create(log, ("game:Endpoint", $"in-process:{name}"), ("tool:Endpoint", $"in-process:{name}"));
        builder.Services.AddScoped<Scope>();
        builder.Services.AddMessageServer("game").AddRequestHandler<Count, Counted, CountHandler>().AddEventHandler<Suspend, SuspendHandler>();
        builder.Services.AddMessageClient("tool");
        builder.Services.AddHealthChecks().AddMessageHosts();
        using var program = builder.Build();
        Assert.Equal(HealthStatus.Unhealthy, (await program.CheckAsync()).Status);
        Assert.Contains("MessageHostAccessor", Assert.Throws<InvalidOperationException>(() => program.Services.GetRequiredService<MessageServer>()).Message, StringComparison.Ordinal);

        await program.StartAsync();
        var client = program.Services.GetRequiredService<MessageClient>();
        var first = await client.RequestAsync<Count, Counted>(new Count(1));
        var second = await client.RequestAsync<Count, Counted>(new Count(1));
        client.Send(new Suspend(7));
        var failed = await log.WaitForAsync(7);
        var health = await program.CheckAsync();
        await program.StopAsync();

        Assert.Equal((2, 2), (first.Value, second.Value));
        Assert.NotEqual(first.Scope, second.Scope);
        Assert.Same(client, program.Services.GetRequiredKeyedService<MessageClient>("tool"));
        Assert.Equal((LogLevel.Error, nameof(Suspend), 11u, "game"), (failed.Level, failed.Properties["TypeName"], failed.Properties["Type"], failed.Properties["Host"]));
        Assert.Equal(HealthStatus.Healthy, health.Status);
        Assert.Equal(1, health.Entries["message-hosts"].Data["game.peers"]);
        Assert.Equal(ClientState.Disconnected, client.State);
        Assert.DoesNotContain(log.Entries, static entry => entry.Text.Contains("(null)", StringComparison.Ordinal));
        Assert.Equal([1, 2, 2, 3, 3, 4, 4, 7], log.Entries.Select(static entry => entry.Id).Where(static id => id != 12).Order());
    }

    [Fact]
    public async Task Server_that_the_program_stops_is_unhealthy_while_a_handler_still_runs()
    {
        var name = $"worker-{Guid.NewGuid():N}";
        var builder = TestProgram.Create(new LogRecorder(), ("game:Endpoint", $"in-process:{name}"));
        var (begun, end) = (new TaskCompletionSource(), new TaskCompletionSource());
        builder.Services.AddMessageServer("game", server => server.OnRequest(async (Count count) =>
        {
            begun.SetResult();
            await end.Task;
            return new Counted(count.Start, 0);
        }));
        builder.Services.AddHealthChecks().AddMessageHosts();
        using var program = builder.Build();
        await program.StartAsync();
        var server = program.Services.GetRequiredService<MessageServer>();
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.InProcess(name));
        var reply = client.RequestAsync<Count, Counted>(new Count(1)).AsTask();
        await begun.Task.InTime();
        Assert.Equal(HealthStatus.Healthy, (await program.CheckAsync()).Status);

        var stopping = server.StopAsync();
        var health = await program.CheckAsync();
        end.SetResult();
        await reply.InTime();
        await stopping.InTime();

        Assert.Equal((HealthStatus.Unhealthy, $"game: It no longer listens at in-process://{name}."), (health.Status, health.Entries["message-hosts"].Description));
        await program.StopAsync();
    }

    [Fact]
    public async Task Log_entries_of_a_handler_class_name_the_host_the_type_and_the_peer()
    {
        var log = new LogRecorder();
        var endpoint = MessageEndpoint.InProcess($"worker-{Guid.NewGuid():N}");
        var builder = TestProgram.Create(log, ("game:Endpoint", $"in-process:{endpoint.Address}"));
        builder.Services.AddMessageServer("game").AddRequestHandler<Count, Counted, SayingHandler>();
        using var program = builder.Build();
        await program.StartAsync();
        await using var client = await MessageHost.ConnectAsync(endpoint);

        await client.RequestAsync<Count, Counted>(new Count(3));
        var entry = await log.WaitForAsync(1000);
        var peer = program.Services.GetRequiredService<MessageServer>().Peers.Single();
        await program.StopAsync();

        Assert.Equal(("game", nameof(Count), peer), (entry.Properties["Host"], entry.Properties["TypeName"], entry.Properties["Peer"]));
        Assert.DoesNotContain("Peer", log.Entries.First(static other => other.Id == 1).Properties.Keys);
    }

    [Fact]
    public async Task Log_entries_of_all_handlers_have_a_scope_with_AddLogScopes()
    {
        var log = new LogRecorder();
        var endpoint = MessageEndpoint.InProcess($"worker-{Guid.NewGuid():N}");
        var builder = TestProgram.Create(log, ("game:Endpoint", $"in-process:{endpoint.Address}"));
        builder.Services.AddMessageServer("game", static (services, server) =>
        {
            var log = services.GetRequiredService<ILogger<HostedProgramTests>>();
            server.On((Suspend _) => log.Log(LogLevel.Information, new EventId(1000), LogRecorder.NoProperties, null, static (_, _) => "suspending"));
        }).AddLogScopes();
        using var program = builder.Build();
        await program.StartAsync();
        await using var client = await MessageHost.ConnectAsync(endpoint);

        client.Send(new Suspend(3));
        var entry = await log.WaitForAsync(1000);
        var peer = program.Services.GetRequiredService<MessageServer>().Peers.Single();
        await program.StopAsync();

        Assert.Equal(("game", nameof(Suspend), peer), (entry.Properties["Host"], entry.Properties["TypeName"], entry.Properties["Peer"]));
    }

    [Fact]
    public async Task Program_that_stops_waits_for_its_running_handlers()
    {
        var begun = Signal.New<bool>();
        var goesOn = Signal.New<bool>();
        var endpoint = MessageEndpoint.InProcess($"worker-{Guid.NewGuid():N}");
        var builder = TestProgram.Create(new LogRecorder(), ("game:Endpoint", $"in-process:{endpoint.Address}"));
        builder.Services.AddMessageServer("game", server => server.OnRequest(async (Count request, Peer _, CancellationToken token) =>
        {
            begun.TrySetResult(true);
            await goesOn.Task.WaitAsync(token);
            return new Counted(request.Start + 1, 0);
        }));
        using var program = builder.Build();
        await program.StartAsync();
        await using var client = await MessageHost.ConnectAsync(endpoint);
        var asked = client.RequestAsync<Count, Counted>(new Count(1)).AsTask();
        await begun.Task.InTime();

        var stop = program.StopAsync();
        await Signal.UntilAsync(async () => (await client.TryRequestAsync<Count, Counted>(new Count(1), TimeSpan.FromMilliseconds(50))).Fault?.Code == FaultCode.Stopping);
        goesOn.SetResult(true);

        Assert.Equal(2, (await asked.InTime()).Value);
        await stop.InTime();
    }

    [Fact]
    public async Task Program_starts_while_client_waits_for_its_server()
    {
        var log = new LogRecorder();
        var endpoint = $"in-process:late-{Guid.NewGuid():N}";
        var builder = TestProgram.Create(log, ("tool:Endpoint", endpoint), ("tool:Reconnect:MaxDelay", "00:00:00.020"));
        builder.Services.AddMessageClient("tool");
        builder.Services.AddHealthChecks().AddMessageHosts();
        using var program = builder.Build();

        await program.StartAsync().InTime();
        Assert.Equal(endpoint.Replace(":", "://", StringComparison.Ordinal), (await log.WaitForAsync(11)).Properties["Endpoint"]!.ToString());
        Assert.Equal(HealthStatus.Degraded, (await program.CheckAsync()).Status);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Parse(endpoint));
        var client = await program.Services.GetRequiredService<MessageHostAccessor<MessageClient>>().WaitAsync().InTime();

        Assert.Equal(ClientState.Connected, client.State);
        Assert.Equal(HealthStatus.Healthy, (await program.CheckAsync()).Status);
        await program.StopAsync().InTime();
    }

    [Fact]
    public async Task Program_stops_while_client_waits_for_its_server()
    {
        var log = new LogRecorder();
        var builder = TestProgram.Create(log, ("tool:Endpoint", $"in-process:never-{Guid.NewGuid():N}"), ("tool:Reconnect:MaxDelay", "10:00:00"));
        builder.Services.AddMessageClient("tool");
        using var program = builder.Build();
        await program.StartAsync().InTime();

        await program.StopAsync().InTime();

        Assert.DoesNotContain(log.Entries, static entry => entry.Id == 12);
    }

    [Fact]
    public async Task Program_without_reconnect_does_not_start_if_no_server_listens()
    {
        var log = new LogRecorder();
        var builder = TestProgram.Create(log, ("tool:Endpoint", $"in-process:never-{Guid.NewGuid():N}"));
        builder.Services.AddMessageClient("tool");
        using var program = builder.Build();

        await Assert.ThrowsAsync<TransportClosedException>(() => program.StartAsync());

        Assert.Equal(LogLevel.Error, (await log.WaitForAsync(12)).Level);
    }

    [Fact]
    public async Task Goodbye_of_the_remote_side_is_logged()
    {
        var log = new LogRecorder();
        var endpoint = MessageEndpoint.InProcess($"kicking-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint);
        var builder = TestProgram.Create(log, ("tool:Endpoint", endpoint.ToString()));
        builder.Services.AddMessageClient("tool");
        using var program = builder.Build();
        await program.StartAsync();
        await Signal.UntilAsync(() => server.Peers.Count == 1);

        await server.Peers.Single().KickAsync("The round is over.");

        var entry = await log.WaitForAsync(4);
        Assert.Equal("Kicked, \"The round is over.\"", entry.Properties["Goodbye"]);
        Assert.EndsWith("Goodbye of the remote side: Kicked, \"The round is over.\".", entry.Text, StringComparison.Ordinal);
        await program.StopAsync();
    }

    [Fact]
    public async Task Refused_connection_is_logged()
    {
        var log = new LogRecorder();
        var builder = TestProgram.Create(log, ("game:Endpoint", "tcp://127.0.0.1:0"), ("game:Token", Convert.ToBase64String("sixteen bytes 16"u8)));
        builder.Services.AddMessageServer("game");
        using var program = builder.Build();
        await program.StartAsync();
        var server = program.Services.GetRequiredService<MessageServer>();

        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, null, new MessageHostOptions { Token = "another token 16"u8.ToArray() }));

        Assert.Equal(DisconnectReason.WrongToken, (await log.WaitForAsync(5)).Properties["Reason"]);
        await program.StopAsync();
    }

    [Fact]
    public async Task Messages_that_were_sent_before_the_stop_arrive()
    {
        var arrived = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Suspend _, Peer _) => Interlocked.Increment(ref arrived)));
        var builder = TestProgram.Create(new LogRecorder(), ("tool:Endpoint", server.Endpoint.ToString()));
        builder.Services.AddMessageClient("tool");
        using var program = builder.Build();
        await program.StartAsync();
        var client = program.Services.GetRequiredService<MessageClient>();
        for (var i = 0; i < 1000; i++)
            Assert.Equal(SendStatus.Sent, client.Send(new Suspend(i)));

        await program.StopAsync();

        await Signal.UntilAsync(() => Volatile.Read(ref arrived) == 1000);
    }

    [Fact]
    public void Two_servers_are_injected_by_name_only()
    {
        var builder = TestProgram.Create(new LogRecorder());
        builder.Services.AddMessageServer("first");
        builder.Services.AddMessageServer("second");
        using var program = builder.Build();

        Assert.Contains("first, second", Assert.Throws<InvalidOperationException>(() => program.Services.GetRequiredService<MessageServer>()).Message, StringComparison.Ordinal);
        Assert.Equal("second", program.Services.GetRequiredKeyedService<MessageHostAccessor<MessageServer>>("second").Name);
    }
}
