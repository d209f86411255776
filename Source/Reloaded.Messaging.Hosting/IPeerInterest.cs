namespace Reloaded.Messaging.Hosting;

/// <summary>Says which peers of a group a message is for: those near enough to see it, say.</summary>
/// <remarks>Make it a struct: what it decides by lies in its fields and is passed by reference, so that no broadcast needs a closure.</remarks>
public interface IPeerInterest
{
    /// <summary>Called once for each peer of the group, on the thread that broadcasts.</summary>
    bool Includes(Peer peer);
}
