using Reloaded.Messaging;

namespace GameServer.Worlds;

/// <summary>The first thing that a player says.</summary>
[Message(90)]
public sealed record Enter(string Name);

/// <summary>The answer: which creature is the player's.</summary>
[Message(91)]
public readonly record struct Welcome(uint Creature);

/// <summary>Where a player goes from here: a direction, of which the length is cut to 1.</summary>
[Message(92)]
public readonly record struct Move(float X, float Y);

/// <summary>What a player says to those who are near.</summary>
[Message(93)]
public sealed record Shout(string Text);

/// <summary>What is heard.</summary>
[Message(94)]
public sealed record Heard(uint Creature, string Text);
