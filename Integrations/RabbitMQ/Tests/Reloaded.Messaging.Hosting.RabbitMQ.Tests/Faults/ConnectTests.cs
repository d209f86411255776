using System;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Nodes that do not answer, and what a host says of it.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class ConnectTests(BrokerFixture broker)
{
    [Fact]
    public async Task Connect_to_a_node_that_says_nothing_ends_by_its_time_limit()
    {
        using var mute = new TcpListener(IPAddress.Loopback, 0);
        mute.Start();
        var options = new RabbitOptions
        {
            ConnectTimeout = TimeSpan.FromSeconds(1),
        };

        var failed = await Assert.ThrowsAsync<BrokerUnreachableException>(() => RabbitHost.ConnectAsync(Fleet.FactoryOf(((IPEndPoint)mute.LocalEndpoint).Port), options: options).InTime());

        Assert.Contains("did not complete the connection within 00:00:01", failed.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connect_to_a_node_that_becomes_silent_ends_by_its_time_limit()
    {
        await using var fleet = new Fleet(broker.Get());
        using var way = new StoppableWay(broker.Get().Port);
        _ = way.StopBefore("publishes", 0, 20, 0, 40); // channel.close, the last method before the host is connected
        var options = new RabbitOptions
        {
            ConnectTimeout = TimeSpan.FromSeconds(2),
        };

        var failed = await Assert.ThrowsAsync<BrokerUnreachableException>(() => fleet.AddAsync(options: options, factory: Fleet.FactoryOf(way.Port)));

        Assert.Contains("did not open its channels and queues within 00:00:02", failed.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connect_passes_over_a_node_that_says_nothing()
    {
        using var mute = new TcpListener(IPAddress.Loopback, 0);
        mute.Start();
        await using var fleet = new Fleet(broker.Get());
        var factory = Fleet.FactoryOf(broker.Get().Port);
        factory.EndpointResolverFactory = own => new InOrder([new AmqpTcpEndpoint("127.0.0.1", ((IPEndPoint)mute.LocalEndpoint).Port), .. own]);

        var host = await fleet.AddAsync(
            options: new RabbitOptions
            {
                ConnectTimeout = TimeSpan.FromSeconds(2),
            },
            factory: factory);

        Assert.Equal(LinkState.Connected, host.State);
    }

    [Fact]
    public async Task Connect_leaves_the_factory_as_it_was()
    {
        await using var fleet = new Fleet(broker.Get());
        var factory = Fleet.FactoryOf(broker.Get().Port);

        await fleet.AddAsync(factory: factory);

        Assert.Equal((true, true), (factory.AutomaticRecoveryEnabled, factory.TopologyRecoveryEnabled));
    }

    [Fact]
    public async Task Reconnect_that_fails_says_why()
    {
        await using var fleet = new Fleet(broker.Get());
        var factory = Fleet.FactoryOf(broker.Get().Port);
        var host = await fleet.AddAsync(factory: factory);
        var (refused, denied) = (Told("refused"), Told("ACCESS_REFUSED"));

        await fleet.CutAsync(host, factory);
        await refused.InTime();
        factory.Password = "rotated";
        factory.Port = broker.Get().Port;

        await denied.InTime();

        Task Told(string part)
        {
            var told = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            host.LinkChanged += (_, reason) =>
            {
                if (reason.Contains(part, StringComparison.Ordinal))
                    told.TrySetResult();
            };
            return told.Task;
        }
    }

    [Fact]
    public async Task Body_far_above_the_limit_is_refused_by_the_client_before_it_is_in_memory()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("passing");
        await using var bare = await fleet.AddBareAsync();
        var (lost, back) = (host.NextAsync(LinkState.Disconnected), host.NextAsync(LinkState.Connected));

        await bare.BasicPublishAsync($"{fleet.Scope}.at-most-once", "passing", new byte[3 << 20]);

        await lost.InTime();
        await back.InTime();
        host.Publish("passing", new Numbered(1));
        await got.CountAsync(1);
    }

    private sealed class InOrder(AmqpTcpEndpoint[] endpoints) : IEndpointResolver
    {
        public System.Collections.Generic.IEnumerable<AmqpTcpEndpoint> All() => endpoints;
    }
}
