using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Opens connections of any transport. Refuses unsafe combinations of address and options, resolves host names, and applies the protection.</summary>
internal static class TransportPolicy
{
    /// <summary>The minimum size of a token for transports to which other users can connect, in bytes.</summary>
    private const int MinTokenSize = 16;

    /// <summary>Listens at an address.</summary>
    /// <param name="address">The address.</param>
    /// <param name="context">The settings of the host.</param>
    public static async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        Check(address, context);
        var exchange = PrepareExchange(address.Transport, context, isServer: true); // first, because it may throw
        if (!address.Transport.IsLocal)
        {
            address = await ResolveAsync(address, default).ConfigureAwait(false);
            CheckEncryption(address, context);
        }

        var listener = await address.Transport.ListenAsync(address, context).ConfigureAwait(false);
        return exchange is null ? listener : new WrappedListener(listener, channel => new ProtectedChannel(channel, exchange, isServer: true));
    }

    /// <summary>Connects, with one attempt.</summary>
    /// <inheritdoc cref="ListenAsync"/>
    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        Check(address, context);
        var exchange = PrepareExchange(address.Transport, context, isServer: false);
        if (!address.Transport.IsLocal)
            address = await ResolveAsync(address, cancellationToken).ConfigureAwait(false);
        var channel = await address.Transport.ConnectAsync(address, context, cancellationToken).ConfigureAwait(false);
        return exchange is null ? channel : new ProtectedChannel(channel, exchange, isServer: false);
    }

    /// <summary>Returns the values of the key exchanges, or <see langword="null"/> if no protection is to be applied here.</summary>
    private static ExchangeSettings? PrepareExchange(Transport transport, TransportContext context, bool isServer) =>
        transport.AppliesProtection ? null : ExchangeSettings.Prepare(context, isDatagrams: false, isServer);

    private static void Check(TransportAddress address, TransportContext context)
    {
        if (!address.Transport.IsLocal && context.Token.Length is > 0 and < MinTokenSize)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.Token has {context.Token.Length} bytes; at {address}, where other users can connect, it needs at least {MinTokenSize}. Create one with RandomNumberGenerator.GetBytes(32).");
        }
    }

    private static void CheckEncryption(TransportAddress address, TransportContext context)
    {
        var lacksToken = address.Transport.RequiresToken && context.Token.IsEmpty;
        var isEncrypted = address.Transport.IsEncrypted || context.Protection is not null;
        if (IPAddress.IsLoopback(address.IPAddresses[0]) || (isEncrypted && !lacksToken))
            return;
        throw new InvalidOperationException(
            $"{address} can be reached from other machines, but " +
            (lacksToken && !isEncrypted ? "the server does not authenticate its clients, and the traffic is not encrypted. Set MessageHostOptions.Token and MessageHostOptions.Protection, or give a TCP or WebSocket endpoint TlsOptions,"
                : lacksToken ? "the server does not authenticate its clients. Set MessageHostOptions.Token"
                : "the traffic is not encrypted. Set MessageHostOptions.Protection, or give a TCP or WebSocket endpoint TlsOptions,") +
            " on both sides, or listen at 127.0.0.1.");
    }

    /// <summary>Returns an address with the IP addresses of its host: at least one.</summary>
    /// <exception cref="TransportClosedException">Thrown when the host has no IP address.</exception>
    private static async ValueTask<TransportAddress> ResolveAsync(TransportAddress address, CancellationToken cancellationToken)
    {
        IPAddress[] found;
        try
        {
            found = IPAddress.TryParse(address.Name, out var written) ? [written] : await Dns.GetHostAddressesAsync(address.Name, cancellationToken).ConfigureAwait(false);
        }
        catch (SocketException e)
        {
            throw new TransportClosedException($"The host '{address.Name}' could not be resolved: {e.Message}. Check the name, or use an IP address.", e);
        }

        return found.Length > 0
            ? new TransportAddress(address.Transport, address.Name, address.Port) { IPAddresses = found }
            : throw new TransportClosedException($"The host '{address.Name}' has no IP address. Check the name, or use an IP address.");
    }
}
