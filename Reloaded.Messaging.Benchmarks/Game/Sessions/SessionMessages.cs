namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Asks for a value's changes.</summary>
[Message(74)]
public readonly record struct Subscribe(int Session);

/// <summary>From now on they come.</summary>
[Message(75)]
public readonly record struct Subscribed(int Session);

/// <summary>The value changed, as one session is told.</summary>
[Message(76)]
public readonly record struct ValueChanged(int Session, int Sequence, double Value, long SentAt);
