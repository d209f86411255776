namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Subscribes to the changes of a value.</summary>
[Message(74)]
public readonly record struct Subscribe(int Session);

/// <summary>The reply to <see cref="Subscribe"/>. The session receives changes from now on.</summary>
[Message(75)]
public readonly record struct Subscribed(int Session);

/// <summary>A change of the value, as sent to one session.</summary>
[Message(76)]
public readonly record struct ValueChanged(int Session, int Sequence, double Value, long SentAt);
