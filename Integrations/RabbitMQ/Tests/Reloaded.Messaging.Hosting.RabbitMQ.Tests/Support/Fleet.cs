using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Examples.Broker;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Hosts of one scope that no other test has, disposed together.</summary>
public sealed class Fleet(LocalBroker broker, string? scope = null) : IAsyncDisposable
{
    /// <summary>For hosts whose messages or handlers do not end before the host is disposed.</summary>
    public static readonly TimeSpan ShortStop = TimeSpan.FromMilliseconds(100);

    private readonly List<IAsyncDisposable> _members = [];

    public string Scope { get; } = scope ?? $"test-{Guid.NewGuid():N}".Substring(0, 20);

    public int Port => broker.Port;

    public static ConnectionFactory FactoryOf(int port) => new() { HostName = "127.0.0.1", Port = port, NetworkRecoveryInterval = TimeSpan.FromMilliseconds(500) };

    public async Task<RabbitHost> AddAsync(Action<RabbitHost>? configure = null, RabbitOptions? options = null, ConnectionFactory? factory = null)
    {
        var scoped = (options ?? new RabbitOptions()) with { Scope = Scope };
        var host = await RabbitHost.ConnectAsync(factory ?? FactoryOf(broker.Port), configure, scoped).InTime();
        _members.Add(host);
        return host;
    }

    /// <summary>Ends a host's connections. It gets no other until its factory has the broker's port again.</summary>
    public async Task CutAsync(RabbitHost host, ConnectionFactory factory)
    {
        factory.Port = 1; // where nobody listens
        await broker.CloseConnectionsAsync("cut").InTime();
        await Until.TrueAsync(() => host.GetStatistics().FailedConnects > 0);
    }

    /// <summary>Makes a group's queue that is full, and which nobody takes from. It holds messages of the type <see cref="Unhandled"/>.</summary>
    public async Task FillAsync(string topic, string group)
    {
        var options = new RabbitOptions { MaxQueueLength = 10, StopTimeout = ShortStop };
        var absent = await AddAsync(options: options);
        await (await absent.SubscribeAsync(topic, DeliveryKind.AtLeastOnce, group)).DisposeAsync();
        await Until.TrueAsync(() =>
        {
            for (var count = 0; count < 100; count++)
                absent.Publish(topic, new Unhandled(count), DeliveryKind.AtLeastOnce);
            return absent.GetStatistics().Rejected > 0;
        });
        await absent.DisposeAsync();
    }

    /// <summary>The client library alone.</summary>
    public async Task<IChannel> AddBareAsync()
    {
        var connection = await FactoryOf(broker.Port).CreateConnectionAsync();
        _members.Add(connection);
        return await connection.CreateChannelAsync();
    }

    /// <summary>Waits until a queue is there and has so many consumers.</summary>
    public async Task ConsumersAsync(string queue, uint count)
    {
        await using var connection = await FactoryOf(broker.Port).CreateConnectionAsync();
        await Until.TrueAsync(async () =>
        {
            await using var channel = await connection.CreateChannelAsync(); // which a queue that is missing ends
            try
            {
                return (await channel.QueueDeclarePassiveAsync(queue)).ConsumerCount == count;
            }
            catch (OperationInterruptedException)
            {
                return false;
            }
        });
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var member in _members)
            await member.DisposeAsync();
    }
}
