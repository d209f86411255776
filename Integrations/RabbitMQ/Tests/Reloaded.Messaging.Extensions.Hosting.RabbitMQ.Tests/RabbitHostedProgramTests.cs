using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using RabbitMQ.Client;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>Programs with hosts over RabbitMQ.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class RabbitHostedProgramTests(BrokerFixture broker)
{
    private readonly string _scope = $"worker-{Guid.NewGuid():N}"[..20];

    private sealed class Seen
    {
        private int _sum;

        public int Sum => Volatile.Read(ref _sum);

        public void Add(int value) => Interlocked.Add(ref _sum, value);
    }

    private sealed class SuspendHandler(Seen seen) : IEventHandler<Suspend, Origin>
    {
        public ValueTask HandleAsync(Suspend message, Origin from, CancellationToken cancellationToken)
        {
            if (message.Mod < 0)
                throw new InvalidOperationException("broken");
            seen.Add(message.Mod);
            return default;
        }
    }

    private sealed class SayingHandler(ILogger<SayingHandler> log) : IEventHandler<Suspend, Origin>
    {
        public ValueTask HandleAsync(Suspend message, Origin from, CancellationToken cancellationToken)
        {
            log.Log(LogLevel.Information, new EventId(1000), LogRecorder.NoProperties, null, static (_, _) => "suspending");
            return default;
        }
    }

    private sealed class CountHandler : IRequestHandler<Count, Counted, Origin>
    {
        public ValueTask<Counted> HandleAsync(Count request, Origin from, CancellationToken cancellationToken) => new(new Counted(request.Start + 1, 0));
    }

    private sealed class EndlessHandler(TaskCompletionSource started) : IRequestHandler<Count, Counted, Origin>
    {
        public async ValueTask<Counted> HandleAsync(Count request, Origin from, CancellationToken cancellationToken)
        {
            started.TrySetResult();
            await Task.Delay(Timeout.Infinite, CancellationToken.None);
            return default;
        }
    }

    private HostApplicationBuilder Create(LogRecorder log, int port, params (string Key, string Value)[] settings)
    {
        var builder = TestProgram.Create(log,
        [
            ("lobby:Endpoint", $"amqp://127.0.0.1:{port}"),
            ("lobby:Scope", _scope),
            .. settings,
        ]);
        builder.Services.AddSingleton<Seen>();
        builder.Services.AddRabbitHost("lobby").AddEventHandler<Suspend, SuspendHandler>().AddRequestHandler<Count, Counted, CountHandler>();
        builder.Services.AddHealthChecks().AddMessageHosts();
        return builder;
    }

    [Fact]
    public async Task Hosts_of_both_kinds_start_and_stop_with_the_program()
    {
        var port = broker.Get().Port;
        var log = new LogRecorder();
        var builder = Create(
            log,
            port,
            ("lobby:Group", "lobby"),
            ("lobby:Subscriptions:results:Kind", "AtLeastOnce"),
            ("lobby:Subscriptions:results:MaxTries", "1"),
            ("lobby:Answers", "counters"),
            ("north:Endpoint", $"amqp://127.0.0.1:{port}"),
            ("north:Scope", _scope),
            ("game:Endpoint", $"in-process:{_scope}"));
        builder.Services.AddRabbitHost("north");
        builder.Services.AddMessageServer("game");
        using var program = builder.Build();
        await program.StartAsync();
        var north = program.Services.GetRequiredKeyedService<RabbitHost>("north");
        var seen = program.Services.GetRequiredService<Seen>();
        await Signal.UntilAsync(async () => (await program.CheckAsync()).Status == HealthStatus.Healthy);

        await Signal.UntilAsync(async () => (await north.TryRequestAsync<Count, Counted>("counters", new Count(1))).Reply.Value == 2);
        await Signal.UntilAsync(() => Publish(north, 1) == SendStatus.Sent && seen.Sum > 0);
        north.Publish("results", new Suspend(-1), DeliveryKind.AtLeastOnce);
        var failed = await log.WaitForAsync(7);
        await north.FlushAsync();
        var health = await program.CheckAsync();
        await program.StopAsync();

        Assert.StartsWith("lobby.", program.Services.GetRequiredKeyedService<RabbitHost>("lobby").Id, StringComparison.Ordinal);
        Assert.Contains("lobby, north", Assert.Throws<InvalidOperationException>(() => program.Services.GetRequiredService<RabbitHost>()).Message, StringComparison.Ordinal);
        Assert.Equal((LogLevel.Error, "lobby", 11u, "results", 1), (failed.Level, failed.Properties["Host"], failed.Properties["Type"], failed.Properties["Topic"], failed.Properties["Tries"]));
        Assert.Equal((0L, 0), (health.Entries["message-hosts"].Data["north.unconfirmed"], health.Entries["message-hosts"].Data["game.peers"]));
        Assert.Equal(LinkState.Disconnected, north.State);
        Assert.Equal([1, 2, 2, 2, 3, 3, 7], log.Entries.Select(static entry => entry.Id).Order());
    }

    [Fact]
    public async Task Log_entries_of_a_handler_class_name_the_host_the_type_and_the_topic()
    {
        var log = new LogRecorder();
        var builder = TestProgram.Create(log, ("fleet:Endpoint", $"amqp://127.0.0.1:{broker.Get().Port}"), ("fleet:Scope", _scope), ("fleet:Group", "fleet"), ("fleet:Subscriptions:results:Kind", "AtLeastOnce"));
        builder.Services.AddRabbitHost("fleet").AddEventHandler<Suspend, SayingHandler>();
        using var program = builder.Build();
        await program.StartAsync();
        var host = await program.Services.GetRequiredService<MessageHostAccessor<RabbitHost>>().WaitAsync();

        await Signal.UntilAsync(() =>
        {
            host.Publish("results", new Suspend(1), DeliveryKind.AtLeastOnce);
            return log.Entries.Any(static entry => entry.Id == 1000);
        });
        var entry = await log.WaitForAsync(1000);
        await program.StopAsync();

        Assert.Equal(("fleet", nameof(Suspend), "results"), (entry.Properties["Host"], entry.Properties["TypeName"], entry.Properties["Topic"]));
    }

    [Fact]
    public async Task Message_published_before_the_stop_arrives()
    {
        var log = new LogRecorder();
        var builder = Create(log, broker.Get().Port, ("lobby:StopTimeout", "00:00:25"));
        using var program = builder.Build();
        await program.StartAsync();
        await log.WaitForAsync(3);
        var sum = 0;
        await using var other = await RabbitHost.ConnectAsync(
            new ConnectionFactory { HostName = "127.0.0.1", Port = broker.Get().Port },
            host => host.On((in Suspend suspend, Origin _) => Interlocked.Add(ref sum, suspend.Mod)),
            new RabbitOptions { Scope = _scope });
        await other.SubscribeAsync("results", DeliveryKind.AtLeastOnce, "other");
        var lobby = program.Services.GetRequiredService<RabbitHost>();
        for (var count = 0; count < 1000; count++)
            Assert.Equal(SendStatus.Sent, Publish(lobby, 1));

        await program.StopAsync();

        await Signal.UntilAsync(() => Volatile.Read(ref sum) == 1000);
        Assert.DoesNotContain(log.Entries, static entry => entry.Id == 8);
    }

    [Fact]
    public async Task Requests_whose_handlers_run_longer_than_the_stop_are_logged()
    {
        var log = new LogRecorder();
        var builder = TestProgram.Create(log, ("fleet:Endpoint", $"amqp://127.0.0.1:{broker.Get().Port}"), ("fleet:Scope", _scope), ("fleet:StopTimeout", "00:00:00.1"));
        builder.Services.AddSingleton<TaskCompletionSource>();
        builder.Services.AddRabbitHost("fleet").AddRequestHandler<Count, Counted, EndlessHandler>();
        using var program = builder.Build();
        await program.StartAsync();
        await log.WaitForAsync(3);
        var host = program.Services.GetRequiredService<RabbitHost>();
        var request = host.TryRequestAsync<Count, Counted>(host.Id, new Count(1)).AsTask();
        await program.Services.GetRequiredService<TaskCompletionSource>().Task.InTime();

        await program.StopAsync().InTime();
        await request.InTime();

        Assert.Equal(1L, Assert.Single(log.Entries, static entry => entry.Id == 29).Properties["Messages"]);
    }

    [Fact]
    public async Task Host_without_a_broker_is_unhealthy_with_the_reason_and_the_time()
    {
        var log = new LogRecorder();
        var clock = new ManualTime();
        var builder = Create(log, port: 1, ("lobby:Reconnect:MaxDelay", "00:00:00.100"));
        builder.Services.AddSingleton<TimeProvider>(clock);
        using var program = builder.Build();
        Assert.Equal(HealthStatus.Degraded, (await program.CheckAsync()).Status);
        await program.StartAsync().InTime();
        var first = await log.WaitForAsync(11);

        clock.Advance(TimeSpan.FromSeconds(75.5));
        var health = (await program.CheckAsync()).Entries["message-hosts"];
        Assert.Equal(SendStatus.Sent, Publish(program.Services.GetRequiredService<RabbitHost>(), 1));
        await program.StopAsync().InTime();

        Assert.Equal(("lobby", 1), (first.Properties["Host"], first.Properties["Number"]));
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Matches("^lobby: It has not been connected for 00:01:15\\. .*refused", health.Description);
        Assert.Equal(1L, (await log.WaitForAsync(8)).Properties["Messages"]);
        Assert.DoesNotContain(log.Entries, static entry => entry.Id is 3 or 4);
    }

    [Fact]
    public async Task Messages_that_wait_when_the_time_of_the_program_is_over_are_logged_as_lost()
    {
        var log = new LogRecorder();
        var builder = Create(log, port: 1, ("lobby:StopTimeout", "00:00:03"));
        builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromMilliseconds(100));
        using var program = builder.Build();
        await program.StartAsync().InTime();
        Assert.Equal(SendStatus.Sent, Publish(program.Services.GetRequiredService<RabbitHost>(), 1));

        await Assert.ThrowsAnyAsync<Exception>(() => program.StopAsync()).InTime();

        Assert.Equal(1L, Assert.Single(log.Entries, static entry => entry.Id == 8).Properties["Messages"]);
    }

    [Fact]
    public async Task Lost_connection_is_logged_and_unhealthy()
    {
        var log = new LogRecorder();
        var way = new StoppableWay(broker.Get().Port);
        using var program = Create(log, way.Port).Build();
        await program.StartAsync();
        await log.WaitForAsync(3);

        way.Dispose();

        Assert.Equal(LogLevel.Warning, (await log.WaitForAsync(4)).Level);
        Assert.Equal(1, (await log.WaitForAsync(11)).Properties["Number"]);
        Assert.Equal(HealthStatus.Unhealthy, (await program.CheckAsync()).Status);
        await program.StopAsync().InTime();
    }

    [Fact]
    public async Task Refused_subscription_is_degraded_until_the_broker_accepts_it()
    {
        var log = new LogRecorder();
        await using var connection = await new ConnectionFactory { HostName = "127.0.0.1", Port = broker.Get().Port }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        var queue = $"{_scope}.kept.lobby.results";
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        using var program = Create(log, broker.Get().Port, ("lobby:Group", "lobby"), ("lobby:Reconnect:MaxDelay", "00:00:00.100"), ("lobby:Subscriptions:results:Kind", "AtLeastOnce")).Build();
        await program.StartAsync();

        var refused = await log.WaitForAsync(22);
        await log.WaitForAsync(3); // a host subscribes before it reports that it is connected
        await Signal.UntilAsync(async () => (await program.CheckAsync()).Status == HealthStatus.Degraded);
        var health = (await program.CheckAsync()).Entries["message-hosts"];
        await channel.QueueDeleteAsync(queue, ifUnused: false, ifEmpty: false);
        await Signal.UntilAsync(async () => (await program.CheckAsync()).Status == HealthStatus.Healthy);
        await program.StopAsync();

        Assert.Contains("inequivalent arg", refused.Properties["Reason"]!.ToString(), StringComparison.Ordinal);
        Assert.StartsWith("lobby: It is connected and does not receive from 'results' (AtLeastOnce, group 'lobby'): ", health.Description, StringComparison.Ordinal);
    }

    private static SendStatus Publish(RabbitHost host, int mod) => host.Publish("results", new Suspend(mod), DeliveryKind.AtLeastOnce);
}
