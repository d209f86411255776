using Reloaded.Messaging.Simulation.Scenarios;

namespace Reloaded.Messaging.Simulation;

public static partial class Simulator
{
    private const string Project = "Reloaded.Messaging.Tests/Reloaded.Messaging.Simulation";

    /// <summary>One seed in twenty is a world of a path; the others are worlds of hosts.</summary>
    private static partial Func<Task> ScenarioOf(ulong seed) => seed % 20 == 2 ? PathScenario.RunAsync : HostScenario.RunAsync;
}
