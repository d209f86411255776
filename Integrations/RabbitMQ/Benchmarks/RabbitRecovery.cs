using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Examples.Broker;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Rabbit.Requests;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary>Hosts under a fault or under load: how long they need to work again, and how long their requests take.</summary>
public static class RabbitRecovery
{
    /// <summary>The number of subscriptions of the host whose connection is closed.</summary>
    public const int Subscriptions = 1000;

    /// <summary>The number of hosts that are connected when the broker is killed.</summary>
    public const int Hosts = 200;

    /// <summary>The number of requests in a round.</summary>
    public const int Requests = 300;

    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(2);

    /// <summary>Closes the connection of a host with many subscriptions at the broker.</summary>
    /// <returns>For each round, the time in seconds until each subscription has received a message again.</returns>
    public static async Task<List<double>> ResubscribeAsync(LocalBroker broker, ConnectionFactory factory, int rounds)
    {
        var received = new bool[Subscriptions];
        await using var host = await RabbitHost.ConnectAsync(factory, host => host.On((in OneWayMessage message, Origin _) => Volatile.Write(ref received[(int)message.A], true)));
        await Task.WhenAll(Enumerable.Range(0, Subscriptions).Select(number => host.SubscribeAsync(TopicOf(number))));
        return await CloseAsync(broker, factory, $"{host.Id} consumes", received, rounds);
    }

    /// <summary>Does the same with the client library alone: when the connection is closed, it connects again, with a channel, a queue and a consumer for each topic, all at once.</summary>
    public static async Task<List<double>> ResubscribeBareAsync(LocalBroker broker, ConnectionFactory factory, int rounds)
    {
        const string Name = "bare";
        var received = new bool[Subscriptions];
        var connecting = ConnectAsync();
        await connecting;
        var seconds = await CloseAsync(broker, factory, Name, received, rounds);
        await (await connecting).DisposeAsync();
        return seconds;

        async Task<IConnection> ConnectAsync()
        {
            var settings = new ConnectionFactory { HostName = factory.HostName, Port = factory.Port, AutomaticRecoveryEnabled = false };
            var connection = await settings.CreateConnectionAsync(Name);
            await Task.WhenAll(Enumerable.Range(0, Subscriptions).Select(number => SubscribeAsync(connection, number)));
            connection.ConnectionShutdownAsync += (_, shutdown) =>
            {
                if (shutdown.Initiator != ShutdownInitiator.Application)
                    connecting = Task.Run(ConnectAsync);
                return Task.CompletedTask;
            };
            return connection;
        }

        async Task SubscribeAsync(IConnection connection, int number)
        {
            var channel = await connection.CreateChannelAsync();
            var queue = (await channel.QueueDeclareAsync("", durable: false, exclusive: true, autoDelete: false)).QueueName;
            await channel.QueueBindAsync(queue, "reloaded.at-most-once", TopicOf(number));
            await channel.BasicQosAsync(0, 256, global: false);
            var consumer = new AsyncEventingBasicConsumer(channel);
            consumer.ReceivedAsync += (_, _) =>
            {
                Volatile.Write(ref received[number], true);
                return Task.CompletedTask;
            };
            await channel.BasicConsumeAsync(queue, autoAck: true, consumer);
        }
    }

    /// <summary>Kills the broker of many hosts, and starts it again.</summary>
    /// <returns>For each round, the time in seconds from the end of the start until all hosts are connected.</returns>
    public static async Task<List<double>> ReconnectAsync(LocalBroker broker, ConnectionFactory factory, int rounds)
    {
        var (hosts, seconds) = (new List<RabbitHost>(), new List<double>());
        try
        {
            while (hosts.Count < Hosts)
                hosts.Add(await RabbitHost.ConnectAsync(factory));
            while (seconds.Count < rounds)
            {
                await broker.KillAsync();
                await broker.StartAgainAsync();
                var watch = Stopwatch.StartNew();
                while (!hosts.TrueForAll(static host => host.State == LinkState.Connected))
                    await Task.Delay(20);
                seconds.Add(watch.Elapsed.TotalSeconds);
            }
        }
        finally
        {
            await Task.WhenAll(hosts.ConvertAll(static host => host.DisposeAsync().AsTask()));
        }

        return seconds;
    }

    /// <summary>Compares the requests of a quiet host with those of the same host while it publishes at most once at full speed.</summary>
    /// <returns>For each round, the time of the slowest request but one in a hundred, in milliseconds: quiet, and while the host publishes.</returns>
    public static async Task<(List<double> Quiet, List<double> Flooding)> AskAsync(ConnectionFactory factory, string responder, int rounds)
    {
        var (quiet, flooding) = (new List<double>(), new List<double>());
        await using var receiver = await RabbitHost.ConnectAsync(factory, static host => host.On(static (in OneWayMessage _, Origin _) => { }));
        await receiver.SubscribeAsync("flood");
        await using var host = await RabbitHost.ConnectAsync(factory);
        var requests = new HostRequests(host, responder);
        await PercentileAsync(requests); // warm-up
        while (quiet.Count < rounds)
        {
            quiet.Add(await PercentileAsync(requests));
            using var end = new CancellationTokenSource();
            var flood = Task.Run(() => FloodAsync(host, end.Token));
            await Task.Delay(500);
            flooding.Add(await PercentileAsync(requests));
            await end.CancelAsync();
            await flood;
            await host.FlushAsync();
        }

        return (quiet, flooding);
    }

    /// <summary>Closes a connection again and again, and measures the time until each topic is received again.</summary>
    private static async Task<List<double>> CloseAsync(LocalBroker broker, ConnectionFactory factory, string connection, bool[] received, int rounds)
    {
        var seconds = new List<double>();
        await using var publisher = await RabbitHost.ConnectAsync(factory);
        await ReceiveAllAsync(publisher, received);
        while (seconds.Count < rounds)
        {
            Array.Clear(received);
            var watch = Stopwatch.StartNew();
            await broker.EvaluateAsync($$"""
                [rabbit_networking:close_connection(Connection, "figure") || Connection <- rabbit_networking:connections(), [{client_properties, Properties}] <- [catch rabbit_networking:connection_info(Connection, [client_properties])], lists:member({<<"connection_name">>, longstr, <<"{{connection}}">>}, Properties)]
                """);
            await ReceiveAllAsync(publisher, received);
            seconds.Add(watch.Elapsed.TotalSeconds);
        }

        return seconds;
    }

    private static async Task FloodAsync(RabbitHost host, CancellationToken end)
    {
        for (var number = 0L; !end.IsCancellationRequested; number++)
            await host.PublishAsync("flood", new OneWayMessage(number, 0, 0), cancellationToken: CancellationToken.None);
    }

    private static async Task<double> PercentileAsync(HostRequests requests)
    {
        var times = new List<double>(Requests);
        while (times.Count < Requests)
        {
            var watch = Stopwatch.StartNew();
            await requests.AskAsync();
            times.Add(watch.Elapsed.TotalMilliseconds);
        }

        times.Sort();
        return times[Requests * 99 / 100];
    }

    private static string TopicOf(int number) => $"recovery.{number}";

    /// <summary>Publishes to each topic until it has been received.</summary>
    private static async Task ReceiveAllAsync(RabbitHost publisher, bool[] received)
    {
        using var limit = new CancellationTokenSource(s_limit);
        for (var missing = received.Length; missing > 0;)
        {
            missing = 0;
            for (var number = 0; number < received.Length; number++)
            {
                if (Volatile.Read(ref received[number]))
                    continue;
                missing++;
                await publisher.PublishAsync(TopicOf(number), new OneWayMessage(number, 0, 0), cancellationToken: limit.Token);
            }

            await Task.Delay(50, limit.Token);
        }
    }
}
