using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>How a test listens and connects: as hosts do, or past what they choose by the system.</summary>
public sealed record ChannelWays(Func<MessageEndpoint, ValueTask<TransportListener>> Listen, Func<MessageEndpoint, ValueTask<TransportChannel>> Connect)
{
    /// <summary>Whether connecting waits for the other side to accept, since both have something to say to each other first.</summary>
    public bool ConnectsOnceAccepted { get; init; }

    public static ChannelWays Default { get; } = By(new TransportContext(), new TransportContext());

    /// <summary>As hosts do that have the same options and agree on keys first.</summary>
    public static ChannelWays ByBoth(TransportContext context) => By(context, context) with { ConnectsOnceAccepted = context.Protection is not null };

    public static ChannelWays By(TransportContext server, TransportContext client) =>
        new(endpoint => endpoint.ListenAsync(server), endpoint => endpoint.ConnectAsync(client));
}
