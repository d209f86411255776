using System;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>The events of hosts over RabbitMQ in the log, with the health that belongs to them.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class RabbitLogTests(BrokerFixture broker) : IDisposable
{
    private readonly string _scope = $"log-{Guid.NewGuid():N}"[..20];
    private readonly LogRecorder _log = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _log.Dispose();

    [Fact]
    public async Task Blocked_host_is_logged_and_degraded()
    {
        using var program = await StartAsync(null);
        try
        {
            await broker.Get().StartAlarmAsync();
            Publish(program, "results"); // the broker says that it is blocked when a connection publishes
            await _log.WaitForAsync(20);
            _time.Advance(TimeSpan.FromSeconds(75.5));
            var health = await CheckAsync(program);

            Assert.Equal(HealthStatus.Degraded, health.Status);
            Assert.Matches(@"^lobby: It has been blocked for 00:01:15\. .*memory.*", health.Description);
        }
        finally
        {
            await broker.Get().EndAlarmsAsync();
        }

        await ExpectAsync(20, LogLevel.Warning, ("Host", "lobby"), ("Reason", "low on memory"));
        await ExpectAsync(21, LogLevel.Information, ("Host", "lobby"), ("Reason", "The broker accepts messages again."));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(program)).Status);
        await program.StopAsync();
    }

    [Fact]
    public async Task Full_queues_and_long_handlers_are_logged()
    {
        var released = Signal.New<bool>();
        using var program = await StartAsync(
            host => host.On((Suspend _, Origin _) => new ValueTask(released.Task)),
            ("Group", "lobby"),
            ("MaxQueueLength", "2"),
            ("Subscriptions:results:Kind", "AtLeastOnce"),
            ("Subscriptions:results:Prefetch", "1"),
            ("Subscriptions:results:HandlerTimeout", "00:00:01"),
            ("Subscriptions:orders:Kind", "AtLeastOnce"),
            ("Subscriptions:orders:Prefetch", "1"));
        var host = program.Services.GetRequiredService<RabbitHost>();

        await Signal.UntilAsync(() =>
        {
            Publish(program, "results");
            return host.GetStatistics().Rejected > 0;
        });
        await ExpectAsync(24, LogLevel.Warning, ("Host", "lobby"), ("Topic", "results"), ("Waiting", ""));
        for (var number = 0; number < 5; number++)
            host.Publish("orders", new Count(number), DeliveryKind.AtLeastOnce); // has no handler, so each message is a dead letter; later, because it may be refused too
        await ExpectAsync(26, LogLevel.Warning, ("Host", "lobby"), ("Subscription", "'orders' (AtLeastOnce, group 'lobby')"));
        await ExpectAsync(27, LogLevel.Warning, ("Host", "lobby"), ("Topic", "results"), ("Elapsed", "00:00:0"), ("Timeout", "00:00:01"));
        await Signal.UntilAsync(async () => await CheckAsync(program) is { Status: HealthStatus.Degraded, Description: "lobby: It is connected. Topics that wait for a queue that is full or does not confirm: 1." });
        released.SetResult(true);
        await Signal.UntilAsync(async () => (await CheckAsync(program)).Status == HealthStatus.Healthy);
        await program.StopAsync();
    }

    [Fact]
    public async Task Refused_and_missing_messages_are_logged()
    {
        await broker.Get().AddUserAsync(_scope, $"{_scope}.at-least-once", "^results$");
        using var program = await StartAsync(null, ("User", _scope), ("Password", "secret"), ("Subscriptions:open:Kind", "AtMostOnce"));
        await using var connection = await new ConnectionFactory { HostName = "127.0.0.1", Port = broker.Get().Port }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();

        Publish(program, "forbidden");
        foreach (var number in (long[])[7, 9])
            await channel.BasicPublishAsync($"{_scope}.at-most-once", "open", mandatory: true, new BasicProperties { AppId = "tool", Timestamp = new AmqpTimestamp(number) }, new byte[] { 1, 0, 0, 0, 0 });

        await ExpectAsync(23, LogLevel.Error, ("Host", "lobby"), ("Number", "1"), ("Topic", "forbidden"), ("Reason", "ACCESS_REFUSED"));
        await ExpectAsync(25, LogLevel.Warning, ("Host", "lobby"), ("Missed", "1"), ("Sender", "tool"), ("Topic", "open"));
        await program.StopAsync();
    }

    /// <summary>Starts a program with the host "lobby", and waits until the host is connected and has subscribed.</summary>
    private async Task<IHost> StartAsync(Action<RabbitHost>? configure, params (string Key, string Value)[] settings)
    {
        var builder = TestProgram.Create(
            _log,
            [
                ("lobby:Endpoint", $"amqp://127.0.0.1:{broker.Get().Port}"),
                ("lobby:Scope", _scope),
                .. Array.ConvertAll(settings, static setting => ("lobby:" + setting.Key, setting.Value)),
            ]);
        builder.Services.AddSingleton<TimeProvider>(_time);
        builder.Services.AddRabbitHost("lobby", configure);
        builder.Services.AddHealthChecks().AddMessageHosts();
        var program = builder.Build();
        await program.StartAsync();
        await _log.WaitForAsync(3);
        return program;
    }

    /// <summary>Waits for an event, and compares its properties with the texts that their values contain.</summary>
    private async Task ExpectAsync(int id, LogLevel level, params (string Name, string Part)[] properties)
    {
        var entry = await _log.WaitForAsync(id);
        Assert.Equal(level, entry.Level);
        foreach (var (name, part) in properties)
            Assert.Contains(part, $"{entry.Properties[name]}", StringComparison.Ordinal);
        Assert.Equal(properties.Length, entry.Properties.Count - 1); // one more is the format
    }

    private static void Publish(IHost program, string topic) => program.Services.GetRequiredService<RabbitHost>().Publish(topic, new Suspend(1), DeliveryKind.AtLeastOnce);

    private static async Task<HealthReportEntry> CheckAsync(IHost program) => (await program.CheckAsync()).Entries["message-hosts"];
}
