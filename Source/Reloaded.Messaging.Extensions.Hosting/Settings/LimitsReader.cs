using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads the limits of a host from the subsection <c>Limits</c>.</summary>
internal static class LimitsReader
{
    public static HostLimits Read(SettingsSection section)
    {
        var defaults = HostLimits.Default;
        return new HostLimits
        {
            MaxPeers = section.ReadInt(nameof(defaults.MaxPeers), defaults.MaxPeers, static value => new HostLimits { MaxPeers = value }),
            MaxPeersPerAddress = section.ReadInt(nameof(defaults.MaxPeersPerAddress), defaults.MaxPeersPerAddress, static value => new HostLimits { MaxPeersPerAddress = value }),
            MaxUnauthenticated = section.ReadInt(nameof(defaults.MaxUnauthenticated), defaults.MaxUnauthenticated, static value => new HostLimits { MaxUnauthenticated = value }),
            MaxUnauthenticatedPerAddress = section.ReadInt(nameof(defaults.MaxUnauthenticatedPerAddress), defaults.MaxUnauthenticatedPerAddress, static value => new HostLimits { MaxUnauthenticatedPerAddress = value }),
            MaxFailedProofs = section.ReadInt(nameof(defaults.MaxFailedProofs), defaults.MaxFailedProofs, static value => new HostLimits { MaxFailedProofs = value }),
            HandshakeTimeout = section.ReadTime(nameof(defaults.HandshakeTimeout), defaults.HandshakeTimeout, static value => new HostLimits { HandshakeTimeout = value }),
            MaxPendingBytes = section.ReadInt(nameof(defaults.MaxPendingBytes), defaults.MaxPendingBytes, static value => new HostLimits { MaxPendingBytes = value }),
            MaxTotalPendingBytes = section.ReadInt(nameof(defaults.MaxTotalPendingBytes), defaults.MaxTotalPendingBytes, static value => new HostLimits { MaxTotalPendingBytes = value }),
            MaxUnansweredRequests = section.ReadInt(nameof(defaults.MaxUnansweredRequests), defaults.MaxUnansweredRequests, static value => new HostLimits { MaxUnansweredRequests = value }),
            MaxRunningHandlers = section.ReadInt(nameof(defaults.MaxRunningHandlers), defaults.MaxRunningHandlers, static value => new HostLimits { MaxRunningHandlers = value }),
            MaxStreams = section.ReadInt(nameof(defaults.MaxStreams), defaults.MaxStreams, static value => new HostLimits { MaxStreams = value }),
            MaxMalformedMessages = section.ReadInt(nameof(defaults.MaxMalformedMessages), defaults.MaxMalformedMessages, static value => new HostLimits { MaxMalformedMessages = value }),
            MessagesPerSecond = section.ReadOptionalInt(nameof(defaults.MessagesPerSecond), defaults.MessagesPerSecond, static value => new HostLimits { MessagesPerSecond = value }),
            BytesPerSecond = section.ReadOptionalInt(nameof(defaults.BytesPerSecond), defaults.BytesPerSecond, static value => new HostLimits { BytesPerSecond = value }),
            Burst = section.ReadTime(nameof(defaults.Burst), defaults.Burst, static value => new HostLimits { Burst = value }),
            OverflowAction = section.ReadName(nameof(defaults.OverflowAction), defaults.OverflowAction),
        };
    }
}
