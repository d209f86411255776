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

    /// <summary>Returns the node that leads a quorum queue.</summary>
    public Task<LocalBroker> FindLeaderAsync(string queue) => FindAsync(queue, "leader");

    /// <summary>Returns the node that has a classic queue.</summary>
    public Task<LocalBroker> FindNodeAsync(string queue) => FindAsync(queue, "pid");

    private async Task<LocalBroker> FindAsync(string queue, string column)
    {
        var lines = await Nodes[0].ControlAsync("list_queues", "name", column);
        var line = lines.Split('\n').Single(line => line.StartsWith(queue + "\t", StringComparison.Ordinal));
        return Nodes.Single(node => line.Contains(node.NodeName, StringComparison.Ordinal));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var node in Nodes.Reverse()) // the first one has the port mapper of all
            await node.DisposeAsync();
    }
}
