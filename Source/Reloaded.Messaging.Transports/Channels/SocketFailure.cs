using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Describes why a socket could not be connected or cannot listen, and what to do.</summary>
internal static class SocketFailure
{
    /// <summary>Creates the exception for a socket that cannot listen at an address.</summary>
    public static InvalidOperationException ListenFailed(TransportAddress address, SocketException e) => new(
        e.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse => $"Another socket already listens at {address}. Close it, or choose another port; 0 is a free one.",
            SocketError.AddressNotAvailable => $"{address} is no address of this machine. Use 0.0.0.0.",
            _ => $"Listening at {address} failed: {e.Message}",
        },
        e);

    /// <summary>Describes why a socket could not be connected.</summary>
    public static string DescribeConnect(TransportAddress address, SocketException failure)
    {
        var isLocal = address.Transport.IsLocal;
        var reason = isLocal && failure.SocketErrorCode == SocketError.AddressNotAvailable
            ? "there is no socket of this name" // the system's text speaks of an address
            : failure.Message;
        return $"Connecting to {address} failed: {reason}. {Advise(failure.SocketErrorCode, isLocal)}".TrimEnd();
    }

    private static string Advise(SocketError error, bool isLocal) => error switch
    {
        SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable => "Close files and connections of this process, or raise the limit of open files.",
        SocketError.AccessDenied => isLocal ? "The socket belongs to another user." : "The system forbids the connection.",
        SocketError.ConnectionRefused or SocketError.AddressNotAvailable or SocketError.TimedOut or SocketError.HostUnreachable or SocketError.NetworkUnreachable =>
            isLocal ? "Is the server running, as this user?" : "Is the server running, and are the address and the port right?",
        _ => "",
    };
}
