using Reloaded.Messaging;

namespace GameServer.Worlds;

/// <summary>The first request of a player.</summary>
[Message(90)]
public sealed record Enter(string Name);

/// <summary>The reply to <see cref="Enter"/>: the id of the player's creature.</summary>
[Message(91)]
public readonly record struct Welcome(uint Creature);

/// <summary>The direction in which a player moves from now on. Its length does not matter.</summary>
[Message(92)]
public readonly record struct Move(float X, float Y);

/// <summary>A text from a player to the players nearby. The server acknowledges it.</summary>
[Message(93)]
public sealed record Shout(string Text) : IRequest;

/// <summary>A text that a player nearby receives.</summary>
[Message(94)]
public sealed record Heard(uint Creature, string Text);
