using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Accepts stream sockets.</summary>
internal sealed class SocketListener : TransportListener
{
    private readonly Socket _socket;
    private readonly IDisposable? _alsoDisposed;
    private volatile bool _disposed;
    private int _isFreed;

    /// <param name="socket">Bound and listening. The listener disposes it.</param>
    /// <param name="address">The address at which the socket listens.</param>
    /// <param name="alsoDisposed">An object to dispose after the socket, or <see langword="null"/>.</param>
    public SocketListener(Socket socket, TransportAddress address, IDisposable? alsoDisposed)
    {
        _socket = socket;
        Address = address;
        _alsoDisposed = alsoDisposed;
    }

    public override TransportAddress Address { get; }

    /// <summary>Listens with TCP at the first IP address of an address.</summary>
    public static SocketListener ListenTcp(TransportAddress address)
    {
        var socket = new Socket(address.FirstEndPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (OperatingSystem.IsWindows()) // otherwise, another program could bind the same port
                socket.ExclusiveAddressUse = true;
            socket.Bind(address.FirstEndPoint);
            socket.Listen();
            return new SocketListener(socket, address.WithPort(((IPEndPoint)socket.LocalEndPoint!).Port), null);
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw SocketFailure.ListenFailed(address, e);
        }
    }

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (!_disposed)
        {
            Socket? accepted = null;
            try
            {
                accepted = await _socket.AcceptAsync(cancellationToken).ConfigureAwait(false);
                return SocketConnector.MakeChannel(accepted, Address);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                accepted?.Dispose();

                // The client disconnected while it waited, or the listener was disposed; the loop checks which. Without free file handles the loop would spin, so it waits.
                if (!_disposed && e is SocketException { SocketErrorCode: SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable })
                    await Task.Delay(100, cancellationToken).ConfigureAwait(false);
            }
        }

        return null;
    }

    public override ValueTask DisposeAsync()
    {
        _disposed = true;
        if (Interlocked.Exchange(ref _isFreed, 1) != 0)
            return default; // the path may already belong to another server
        _socket.Dispose();
        _alsoDisposed?.Dispose();
        return default;
    }
}
