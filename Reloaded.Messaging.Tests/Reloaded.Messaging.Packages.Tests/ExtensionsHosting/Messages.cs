namespace Reloaded.Messaging.Tests.Worker;

[Message(11)]
public readonly partial record struct Suspend(int Mod);

[Message(12)]
public readonly partial record struct Count(int Start);

[Message(13)]
public readonly partial record struct Counted(int Value, int Scope);
