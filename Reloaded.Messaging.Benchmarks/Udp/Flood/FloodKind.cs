namespace Reloaded.Messaging.Benchmarks.Udp.Flood;

/// <summary>What the flooding addresses send.</summary>
public enum FloodKind
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Hellos, and for each cookie an offer of keys whose MAC is random.</summary>
    Forged,

    /// <summary>Hellos, and for each cookie an offer of keys with the MAC of the token.</summary>
    Valid,
}
