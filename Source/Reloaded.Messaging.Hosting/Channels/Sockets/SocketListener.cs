using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Accepts stream sockets.</summary>
internal sealed class SocketListener : TransportListener
{
    private readonly Socket _socket;
    private readonly IDisposable? _alsoDisposed;
    private volatile bool _disposed;
    private int _isFreed;

    private SocketListener(Socket socket, MessageEndpoint endpoint, IDisposable? alsoDisposed)
    {
        _socket = socket;
        Endpoint = endpoint;
        _alsoDisposed = alsoDisposed;
    }

    public override MessageEndpoint Endpoint { get; }

    /// <summary>Listens at the address that the endpoint's host was found to have. It isn't looked up again: the answer could be another.</summary>
    public static SocketListener ListenTcp(MessageEndpoint endpoint, IPAddress address)
    {
        var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (OperatingSystem.IsWindows()) // where another could bind the same port otherwise
                socket.ExclusiveAddressUse = true;
            socket.Bind(new IPEndPoint(address, endpoint.Port));
            socket.Listen();
            return new SocketListener(socket, endpoint.WithPort(((IPEndPoint)socket.LocalEndPoint!).Port), null);
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw new InvalidOperationException(
                e.SocketErrorCode == SocketError.AddressAlreadyInUse
                    ? $"Something listens at {endpoint} already. Stop it first, or choose another port; 0 has one assigned."
                    : $"Listening at {endpoint} failed: {e.Message}",
                e);
        }
    }

    /// <summary>Listens at a path: locked first, so that no live server's file is ever unlinked; unreadable to others before anyone can connect.</summary>
    public static SocketListener ListenUnix(MessageEndpoint endpoint, bool keepsLock = true)
    {
        var path = new UnixSocketFile(endpoint.Address, keepsLock);
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            path.BindOwned(socket);
            socket.Listen();
            return new SocketListener(socket, endpoint, path);
        }
        catch
        {
            socket.Dispose();
            path.Dispose();
            throw;
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
                return SocketConnector.MakeChannel(accepted, Endpoint);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                accepted?.Dispose();

                // One that hung up while it waited, or the end: the loop looks which. Out of file handles it would spin; so it waits.
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
            return default; // the path may be another server's by now
        _socket.Dispose();
        _alsoDisposed?.Dispose();
        return default;
    }
}
