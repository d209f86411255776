namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>An event with the number that its sender gave it.</summary>
[Message(10)]
public readonly partial record struct Numbered(int Sender, int Number, ReadOnlyMemory<byte> Fill);

/// <summary>A request, and what its handler does.</summary>
[Message(11)]
public sealed partial record Ask(int Sender, int Number, AskKind Kind, int Milliseconds) : IRequest<Answer>;

[Message(12)]
public sealed partial record Answer(int Sender, int Number);

/// <summary>A request that a handler sends back.</summary>
[Message(13)]
public sealed partial record AskBack(int Number) : IRequest<Answer>;

/// <summary>A stream of numbers.</summary>
[Message(14)]
public sealed partial record Count(int Flow, int To);

[Message(15)]
public sealed partial record Counted(int Number, ReadOnlyMemory<byte> Fill);

/// <summary>A request with numbers beside it, of which the handler reads some.</summary>
[Message(18)]
public sealed partial record Collect(int Flow, int To, int Taken) : IRequest<Collected>;

[Message(19)]
public sealed partial record Collected(int Count);

/// <summary>The same, whose handler returns the numbers that it reads.</summary>
[Message(21)]
public sealed partial record Converse(int Flow, int To, int Taken) : IStreamRequest<Counted>;

/// <summary>A request whose handler reports numbers up to a number.</summary>
[Message(22)]
public sealed partial record Work(int To, bool Fails) : IRequest<Collected>;

[Message(23)]
public readonly partial record struct Worked(int Number);

/// <summary>A large event, which keeps only the order of its type over UDP.</summary>
[Message(16)]
public readonly partial record struct Load(int Sender, int Number, ReadOnlyMemory<byte> Fill);

/// <summary>The state of a game, which the server sends all the time to each client.</summary>
[Message(17)]
public readonly partial record struct Update(int Number);

/// <summary>The work of the handler of a request.</summary>
public enum AskKind
{
    Reply,
    Wait,
    Throw,
    AskBack,
    Never,
}

/// <summary>An event over UDP that may be lost.</summary>
[Message(20)]
public readonly partial record struct Snapshot(ReadOnlyMemory<byte> Fill);
