using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Finds the IP addresses of a host, and describes why a socket cannot listen at an address.</summary>
internal static class HostAddress
{
    /// <summary>Returns an address with the IP addresses of its host: at least one.</summary>
    /// <exception cref="TransportClosedException">Thrown when the host has no IP address.</exception>
    public static async ValueTask<TransportAddress> ResolveAsync(TransportAddress address, CancellationToken cancellationToken)
    {
        var found = IPAddress.TryParse(address.Name, out var written) ? [written] : await LookUpAsync(address.Name, cancellationToken).ConfigureAwait(false);
        return new TransportAddress(address.Transport, address.Name, address.Port) { IPAddresses = found };
    }

    /// <summary>Creates the exception for a socket that cannot listen at an address.</summary>
    public static InvalidOperationException ListenFailed(TransportAddress address, SocketException e) => new(
        e.SocketErrorCode == SocketError.AddressAlreadyInUse
            ? $"Another socket already listens at {address}. Close it first, or choose another port. Port 0 has a free port assigned."
            : $"Listening at {address} failed: {e.Message}",
        e);

    private static async ValueTask<IPAddress[]> LookUpAsync(string name, CancellationToken cancellationToken)
    {
        try
        {
            if (await Dns.GetHostAddressesAsync(name, cancellationToken).ConfigureAwait(false) is { Length: > 0 } found)
                return found;
        }
        catch (SocketException e)
        {
            throw new TransportClosedException($"The host '{name}' could not be resolved: {e.Message}. Check the name, or use an IP address.", e);
        }

        throw new TransportClosedException($"The host '{name}' has no IP address. Check the name, or use an IP address.");
    }
}
