using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Waits for the answers to announcements of contracts.</summary>
internal static class HostAnnouncements
{
    /// <summary>Completes when the peers of a host have answered the announcements of its contracts.</summary>
    public static Task AnsweredAsync(this MessageHost host) => Signal.UntilAsync(() => host.Peers.All(static peer => peer.Connection.KnownAnnouncement == peer.Connection.LastAnnouncement));
}
