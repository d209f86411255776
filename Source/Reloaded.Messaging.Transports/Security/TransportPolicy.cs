using System;
using System.Collections.Generic;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Opens connections of any transport: refuses what would be unsafe at an address, resolves hosts, and applies the protection.</summary>
internal static class TransportPolicy
{
    /// <summary>The shortest token where other users can connect, in bytes.</summary>
    private const int MinTokenSize = 16;

    /// <summary>Listens.</summary>
    /// <param name="address">Where to listen.</param>
    /// <param name="context">The host's.</param>
    /// <param name="prefix">The length in front of each frame: any other than the library's own has no handshake.</param>
    public static async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context, LengthPrefix prefix = LengthPrefix.UVarint)
    {
        Check(address, context, prefix);
        var secret = GetSecret(address.Transport, context); // first: it may refuse
        if (!address.Transport.IsLocal)
        {
            address = await HostAddress.ResolveAsync(address, default).ConfigureAwait(false);
            CheckLoopback(address, address.IPAddresses[0], prefix);
            CheckEncryption(address, context);
        }

        var listener = await address.Transport.ListenAsync(address, context).ConfigureAwait(false);
        return secret is { } shared ? new ProtectedListener(listener, context.Protection!, shared) : listener;
    }

    /// <summary>Connects, once.</summary>
    /// <inheritdoc cref="ListenAsync"/>
    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, LengthPrefix prefix, CancellationToken cancellationToken)
    {
        Check(address, context, prefix);
        var secret = GetSecret(address.Transport, context);
        if (!address.Transport.IsLocal)
            address = KeepAllowed(await HostAddress.ResolveAsync(address, cancellationToken).ConfigureAwait(false), prefix);
        var channel = await address.Transport.ConnectAsync(address, context, cancellationToken).ConfigureAwait(false);
        return secret is { } shared ? new ProtectedChannel(channel, context.Protection!, shared, isServer: false) : channel;
    }

    /// <summary>Keeps the IP addresses that may be connected to with a prefix.</summary>
    internal static TransportAddress KeepAllowed(TransportAddress address, LengthPrefix prefix)
    {
        if (prefix == LengthPrefix.UVarint)
            return address;
        CheckLoopback(address, address.IPAddresses[0], prefix);
        var allowed = new List<IPAddress>();
        foreach (var ip in address.IPAddresses)
        {
            if (IPAddress.IsLoopback(ip))
                allowed.Add(ip);
        }

        return new TransportAddress(address.Transport, address.Name, address.Port) { IPAddresses = allowed };
    }

    /// <summary>Returns what keys are made from, or <see langword="null"/> if there is no protection to apply here.</summary>
    private static ReadOnlyMemory<byte>? GetSecret(Transport transport, TransportContext context) =>
        transport.AppliesProtection ? null : context.Protection?.GetSecret(context);

    private static void Check(TransportAddress address, TransportContext context, LengthPrefix prefix)
    {
        if (!address.Transport.IsLocal && context.Token.Length is > 0 and < MinTokenSize)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.Token has {context.Token.Length} bytes; at {address}, where other users can connect, it needs at least {MinTokenSize}. Make one by RandomNumberGenerator.GetBytes(32).");
        }

        if (prefix != LengthPrefix.UVarint && (!address.Transport.IsStream || context.Protection is not null))
            throw new InvalidOperationException($"The prefix {prefix} is for streams of another program's, and neither for {address} nor for MessageHostOptions.Protection. Use LengthPrefix.UVarint on both sides.");
    }

    private static void CheckLoopback(TransportAddress address, IPAddress ip, LengthPrefix prefix)
    {
        if (prefix != LengthPrefix.UVarint && !IPAddress.IsLoopback(ip))
        {
            throw new InvalidOperationException(
                $"{address} is another machine's, and with the prefix {prefix} nobody proves who they are. Use this machine's loopback, or LengthPrefix.UVarint on both sides.");
        }
    }

    private static void CheckEncryption(TransportAddress address, TransportContext context)
    {
        var lacksToken = address.Transport.RequiresToken && context.Token.IsEmpty;
        var isEncrypted = address.Transport.IsEncrypted || context.Protection is not null;
        if (IPAddress.IsLoopback(address.IPAddresses[0]) || (isEncrypted && !lacksToken))
            return;
        throw new InvalidOperationException(
            $"{address} can be reached from other machines, and " +
            (lacksToken ? "the server would believe anyone. Set MessageHostOptions.Token" : "anyone between could read and change what is said. Set MessageHostOptions.Protection, or give a TCP endpoint TlsOptions,") +
            " on both sides, or listen at 127.0.0.1.");
    }
}
