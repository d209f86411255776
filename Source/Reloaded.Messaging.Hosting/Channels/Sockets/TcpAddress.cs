using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>From an endpoint's host to an address.</summary>
internal static class TcpAddress
{
    /// <summary>The first address of an endpoint's host.</summary>
    public static async ValueTask<IPAddress> ResolveAsync(MessageEndpoint endpoint, CancellationToken cancellationToken) =>
        (await ResolveAllAsync(endpoint, cancellationToken).ConfigureAwait(false))[0];

    /// <returns>One at least.</returns>
    public static async ValueTask<IPAddress[]> ResolveAllAsync(MessageEndpoint endpoint, CancellationToken cancellationToken)
    {
        if (IPAddress.TryParse(endpoint.Address, out var address))
            return [address];
        try
        {
            if (await Dns.GetHostAddressesAsync(endpoint.Address, cancellationToken).ConfigureAwait(false) is { Length: > 0 } found)
                return found;
        }
        catch (SocketException e)
        {
            throw new TransportClosedException($"'{endpoint.Address}' has no address: {e.Message}", e);
        }

        throw new TransportClosedException($"'{endpoint.Address}' has no address.");
    }
}
