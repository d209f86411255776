using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>What the first bytes of a stream are.</summary>
internal enum StreamKind
{
    /// <summary>More bytes are needed.</summary>
    Incomplete = 0,

    /// <summary>Frames of this library, which begin with a hello.</summary>
    Frames,

    /// <summary>The key exchange of this library.</summary>
    Protected,

    Tls,

    Http,

    Other,
}
