using Reloaded.Messaging.Games;

namespace GameServer.Worlds;

/// <summary>Who is behind a peer: its context.</summary>
public struct Player
{
    public string? Name { get; set; }

    public Creature? Creature { get; set; }

    /// <summary>What its client was told of.</summary>
    public EntityView View { get; init; }
}
