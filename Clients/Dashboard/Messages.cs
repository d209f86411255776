using System.Collections.Generic;
using Reloaded.Messaging;

namespace Dashboard;

/// <summary>A request of a page for the mods of the game.</summary>
[Message(10)]
public readonly record struct ListMods : IRequest<ModList>;

/// <summary>One mod: whether it runs, the number of events that it has sent, and its events in the last second.</summary>
[Message(11)]
public sealed record ModInfo(int Id, string Name, string Author, string Version, bool IsRunning, long Sent, int Rate);

/// <summary>The mods of the game.</summary>
[Message(12)]
public sealed record ModList(List<ModInfo> Mods);

/// <summary>A request of a page to suspend a mod, or to resume it.</summary>
[Message(13)]
public readonly record struct SetMod(int Id, bool Runs) : IRequest<ModInfo>;

/// <summary>One connection: a mod inside the process, or a page.</summary>
[Message(14)]
public sealed record PeerInfo(string Name, string Address, double RoundTripMilliseconds);

/// <summary>An event to all pages, several times a second: the state of the game.</summary>
[Message(15)]
public sealed record GameStatus(long Frame, double MessagesPerSecond, List<ModInfo> Mods, List<PeerInfo> Peers);

/// <summary>An event of a mod to the game.</summary>
[Message(20)]
public readonly record struct ModEvent(int Mod, int Number);

/// <summary>An event of the game to a mod: run, or stop until further notice.</summary>
[Message(21)]
public readonly record struct Run(bool Runs);
