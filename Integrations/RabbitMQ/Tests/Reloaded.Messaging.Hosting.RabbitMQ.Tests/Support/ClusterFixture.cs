using System;
using System.Linq;
using System.Threading.Tasks;
using Examples.Broker;
using RabbitMQ.Client;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A cluster of three nodes.</summary>
public sealed class ClusterFixture : IAsyncLifetime
{
    /// <summary>The nodes; empty if RabbitMQ is not installed.</summary>
    public LocalBroker[] Nodes { get; private set; } = [];

    /// <summary>The endpoints of the nodes, for the options of a host.</summary>
    public AmqpTcpEndpoint[] Endpoints => Array.ConvertAll(Nodes, static node => new AmqpTcpEndpoint("127.0.0.1", node.Port));

    public async ValueTask InitializeAsync()
    {
        if (LocalBroker.Missing is not null)
            return;
        var first = await LocalBroker.StartAsync();
        Nodes = [first];
        Nodes = [first, .. await Task.WhenAll(LocalBroker.StartAsync(first), LocalBroker.StartAsync(first))];
    }

    /// <summary>Returns the node that leads a quorum queue, or that has a classic queue.</summary>
    public async Task<LocalBroker> FindNodeAsync(string queue)
    {
        var name = await Nodes[0].EvaluateAsync($$"""
            {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"{{queue}}">>)),
            case rabbit_amqqueue:info(Queue, [leader]) of
                [{leader, ''}] -> node(amqqueue:get_pid(Queue));
                [{leader, Leader}] -> Leader
            end
            """);
        return Nodes.Single(node => name == node.NodeName);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var node in Nodes.Reverse()) // the first one has the port mapper of all
            await node.DisposeAsync();
    }
}
