using Reloaded.Messaging.Hosting;

namespace Dashboard;

/// <summary>The state of a mod inside the game. Only the game loop uses it.</summary>
internal sealed class Slot(Mod mod)
{
    public Mod Mod => mod;

    /// <summary>The connection of the mod, or <see langword="null"/> before its first event.</summary>
    public Peer? Peer { get; set; }

    public bool Runs { get; set; } = true;

    /// <summary>The events that have arrived.</summary>
    public RateWindow Sent { get; } = new();

    public ModInfo Describe() => new(mod.Id, mod.Name, mod.Author, mod.Version, Runs, Sent.Count, (int)Sent.PerSecond);
}
