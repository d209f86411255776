using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Accepts stream sockets.</summary>
internal sealed class SocketListener : TransportListener
{
    private readonly Socket _socket;
    private readonly IDisposable? _alsoDisposed;
    private volatile bool _disposed;
    private int _isFreed;

    /// <param name="socket">Bound and listening. The listener disposes it.</param>
    /// <param name="address">Where it listens.</param>
    /// <param name="alsoDisposed">Disposed after the socket, or <see langword="null"/>.</param>
    public SocketListener(Socket socket, TransportAddress address, IDisposable? alsoDisposed)
    {
        _socket = socket;
        Address = address;
        _alsoDisposed = alsoDisposed;
    }

    public override TransportAddress Address { get; }

    /// <summary>Listens at the first IP address of an address by TCP.</summary>
    public static SocketListener ListenTcp(TransportAddress address)
    {
        var socket = new Socket(address.FirstEndPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (OperatingSystem.IsWindows()) // where another could bind the same port otherwise
                socket.ExclusiveAddressUse = true;
            socket.Bind(address.FirstEndPoint);
            socket.Listen();
            return new SocketListener(socket, address.WithPort(((IPEndPoint)socket.LocalEndPoint!).Port), null);
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw new InvalidOperationException(
                e.SocketErrorCode == SocketError.AddressAlreadyInUse
                    ? $"Something listens at {address} already. Stop it first, or choose another port; 0 has one assigned."
                    : $"Listening at {address} failed: {e.Message}",
                e);
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
