using Reloaded.Messaging.Games;

namespace GameServer.Worlds;

/// <summary>The player of a connection.</summary>
public struct Player
{
    public string? Name { get; set; }

    public Creature? Creature { get; set; }

    /// <summary>Whether the player has missed changes. The next update then has all creatures that the player sees.</summary>
    public bool IsBehind { get; set; }

    /// <summary>The creatures that the player's client knows.</summary>
    public EntityView View { get; init; }
}
