using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Simulation.Scenarios;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Simulation;

public static partial class Simulator
{
    private const string Project = "Integrations/RabbitMQ/Tests/Reloaded.Messaging.Hosting.RabbitMQ.Simulation";

    /// <summary>Even seeds are worlds of a publisher; odd seeds are worlds with a broker.</summary>
    private static partial Func<Task> ScenarioOf(ulong seed) => seed % 2 == 0 ? PublisherScenario.RunAsync : BrokerScenario.RunAsync;
}

public static partial class Replacements
{
    [Replaces(typeof(ConnectionFactory), "CreateConnectionAsync")]
    public static Task<IConnection> Connect(ConnectionFactory factory, IEndpointResolver endpoints, string? name, CancellationToken token) => Broker.ConnectAsync(name, token);
}

public static partial class World
{
    static partial void ResetOthers() => Broker.Reset();
}

public sealed partial class SimulatedProcess
{
    /// <summary>The longest delay to and from the broker, in ticks; <c>null</c> before the first connection.</summary>
    public int? BrokerDelay { get; set; }

    partial void LoseOthers() => Broker.LoseAll(this);
}
