using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>A packet with one field.</summary>
[Message(70)]
public sealed record CharacterCreated(int Result);

/// <summary>A packet with two numbers, two texts and a time.</summary>
[Message(71)]
public sealed record ChatLine(ulong From, ulong To, string Name, string Text, DateTime Sent);

/// <summary>A request of a client.</summary>
[Message(72)]
public sealed record CharacterList(int Page);

/// <summary>A packet that waits for the tick, as plain numbers.</summary>
[Message(73)]
[StructLayout(LayoutKind.Sequential)]
public readonly record struct Step(int X, int Y, int Z);
