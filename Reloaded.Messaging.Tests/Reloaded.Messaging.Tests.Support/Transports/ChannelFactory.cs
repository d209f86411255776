namespace Reloaded.Messaging.Tests.Support;

/// <summary>How a test listens and connects: as hosts do, or past what they choose by the system.</summary>
public sealed record ChannelFactory(Func<MessageEndpoint, ValueTask<TransportListener>> Listen, Func<MessageEndpoint, ValueTask<TransportChannel>> Connect)
{
    /// <summary>Whether connecting waits for the other side to accept, since both have something to say to each other first.</summary>
    public bool ConnectsOnceAccepted { get; init; }

    public static ChannelFactory Default { get; } = For(new TransportContext(), new TransportContext());

    /// <summary>As hosts do that have the same options and agree on keys first.</summary>
    public static ChannelFactory For(TransportContext context) => For(context, context) with { ConnectsOnceAccepted = context.Protection is not null };

    public static ChannelFactory For(TransportContext server, TransportContext client) =>
        new(endpoint => endpoint.ListenAsync(server), endpoint => endpoint.ConnectAsync(client));
}
