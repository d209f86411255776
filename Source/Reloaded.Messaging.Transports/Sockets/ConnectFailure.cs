using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Describes why a socket could not be connected, and what to do.</summary>
internal static class ConnectFailure
{
    public static string Describe(TransportAddress address, SocketException failure)
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
        SocketError.AccessDenied => isLocal ? "The socket belongs to another user." : "A rule of the system forbids the connection.",
        SocketError.ConnectionRefused or SocketError.AddressNotAvailable or SocketError.TimedOut or SocketError.HostUnreachable or SocketError.NetworkUnreachable =>
            isLocal ? "Is the server running, as this user?" : "Is the server running, and are the address and the port right?",
        _ => "",
    };
}
