namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>Work for one of several processes.</summary>
[Message(18)]
public sealed partial record Job(int Number, int Key, int Milliseconds, bool Throws);

[Message(19)]
public sealed partial record Result(int Number);
