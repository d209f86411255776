using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Linq.Expressions;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>No code of the program runs under a lock of a RabbitMQ host: docs/internals/locking.md, rule 1.</summary>
public sealed class LockTests(BrokerFixture broker)
{
    [Fact]
    public async Task Callbacks_of_hosts_run_under_no_lock()
    {
        string[] expected =
        [
            "handler", "at-least-once handler", "asynchronous handler", "request handler", nameof(RabbitHost.LinkChanged), nameof(RabbitHost.HandlerFailed),
            nameof(RabbitHost.SubscriptionFailed), nameof(RabbitHost.PublicationUnrouted), nameof(RabbitHost.TopicStalled), "published instrument",
        ];

        Assert.Empty(await InstrumentedLibrary.RunAsync<string[]>(typeof(LockTests).GetMethod(nameof(ExchangeAsync))!, broker.Get().Port, expected).InTime());
    }

    /// <summary>Exchanges messages of all kinds with hosts whose callbacks check the held locks.</summary>
    /// <returns>The callbacks that were called under a lock, and those of <paramref name="expected"/> that were not called.</returns>
    public static async Task<string[]> ExchangeAsync(int port, string[] expected)
    {
        using var meters = new MeterListener
        {
            InstrumentPublished = static (instrument, _) =>
            {
                if (instrument.Name.StartsWith("reloaded.messaging.rabbitmq.", StringComparison.Ordinal))
                    HeldLocks.Check("published instrument");
            },
        };
        meters.Start();
        var factory = new ConnectionFactory { HostName = "127.0.0.1", Port = port };
        var options = new RabbitOptions { Scope = $"locks-{Guid.NewGuid():N}"[..20], MaxQueueLength = 5, RetryDelay = TimeSpan.Zero, StopTimeout = TimeSpan.FromMilliseconds(100) };
        await using var connection = await factory.CreateConnectionAsync();
        await using var bare = await connection.CreateChannelAsync();
        await bare.QueueDeclareAsync($"{options.Scope}.kept.all.refused", durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        await using var host = await RabbitHost.ConnectAsync(
            factory,
            static host =>
            {
                CheckEvents(host);
                host.On(static (in Numbered _, Origin from) => HeldLocks.Check(from.Topic == "passing" ? "handler" : "at-least-once handler"));
                host.OnRequest(static (Question question) =>
                {
                    HeldLocks.Check("request handler");
                    return new Reply(question.Number, 0);
                });
            },
            options);
        host.Subscribe("refused", DeliveryKind.AtLeastOnce, "all");
        await using var passing = await host.SubscribeAsync("passing");
        var kept = await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        host.Publish("passing", new Numbered(1));
        host.Publish("kept", new Numbered(2), DeliveryKind.AtLeastOnce);
        host.Publish("nobody", new Numbered(3), DeliveryKind.AtLeastOnce);
        await host.RequestAsync<Question, Reply>(host.Id, new Question(4));
        await HeldLocks.UntilCalledAsync("handler", "at-least-once handler");

        using var failing = host.On(static async (Text _, Origin _, CancellationToken _) =>
        {
            HeldLocks.Check("asynchronous handler");
            await Task.Yield();
            throw new InvalidOperationException("For the event HandlerFailed.");
        });
        host.Publish("kept", new Text("a"), DeliveryKind.AtLeastOnce);
        await HeldLocks.UntilCalledAsync("asynchronous handler", nameof(RabbitHost.HandlerFailed));
        await kept.DisposeAsync();
        while (!HeldLocks.WasCalled(nameof(RabbitHost.TopicStalled)))
        {
            host.Publish("kept", new Numbered(5), DeliveryKind.AtLeastOnce);
            await Task.Delay(1);
        }

        await HeldLocks.UntilCalledAsync(expected);
        return [.. HeldLocks.CalledUnderLock.Values, .. expected.Where(static callback => !HeldLocks.WasCalled(callback)).Select(static callback => $"{callback} was not called.")];
    }

    /// <summary>Adds a handler to each public event of an object.</summary>
    private static void CheckEvents(object source)
    {
        foreach (var raised in source.GetType().GetEvents())
        {
            var parameters = raised.EventHandlerType!.GetMethod("Invoke")!.GetParameters();
            var call = Expression.Call(typeof(HeldLocks).GetMethod(nameof(HeldLocks.Check))!, Expression.Constant(raised.Name));
            var handler = Expression.Lambda(raised.EventHandlerType, call, parameters.Select(static parameter => Expression.Parameter(parameter.ParameterType, parameter.Name)));
            raised.AddEventHandler(source, handler.Compile());
        }
    }
}
