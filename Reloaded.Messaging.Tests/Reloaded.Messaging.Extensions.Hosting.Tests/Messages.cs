namespace Reloaded.Messaging.Tests.Worker;

[Message(1)]
public readonly partial record struct Suspend(int Mod);

[Message(2)]
public readonly partial record struct Count(int Start);

[Message(3)]
public readonly partial record struct Counted(int Value, int Scope);
