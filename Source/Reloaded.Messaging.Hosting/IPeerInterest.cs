namespace Reloaded.Messaging.Hosting;

/// <summary>Selects the peers of a group that receive a message, for example the peers that are near enough to see an event.</summary>
/// <remarks>Implement it by a struct whose fields contain the criteria. The struct is passed by reference, so a broadcast needs no closure.</remarks>
public interface IPeerInterest
{
    /// <summary>Returns whether a peer receives the message. Called once for each peer of the group, on the thread that broadcasts.</summary>
    bool Includes(Peer peer);
}
