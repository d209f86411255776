using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Channels.Sockets;

/// <summary>From an endpoint's host to an address.</summary>
internal static class TcpAddress
{
    /// <summary>Another machine's address, without its port; null for this one's.</summary>
    public static string? IdentityOf(EndPoint? remote) => remote is IPEndPoint { Address: var address } && !IPAddress.IsLoopback(address) ? address.ToString() : null;

    public static async ValueTask<IPAddress> ResolveAsync(Endpoint endpoint, CancellationToken cancellationToken)
    {
        if (IPAddress.TryParse(endpoint.Address, out var address))
            return address;
        try
        {
            if (await Dns.GetHostAddressesAsync(endpoint.Address, cancellationToken).ConfigureAwait(false) is [var first, ..])
                return first;
        }
        catch (SocketException e)
        {
            throw new ChannelClosedException($"'{endpoint.Address}' has no address: {e.Message}", e);
        }

        throw new ChannelClosedException($"'{endpoint.Address}' has no address.");
    }
}
