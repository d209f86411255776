using System;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Polyfills;

internal static class SocketExtensions
{
    private static readonly ConditionalWeakTable<Socket, Task<Socket>> s_cancelled = new();

    extension(Socket socket)
    {
        /// <summary>Connects. Cancelled, it closes the socket: there is no other way here to end the attempt.</summary>
        public async ValueTask ConnectAsync(EndPoint remote, CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            using var registration = cancellationToken.UnsafeRegister(static socket => ((Socket)socket!).Dispose(), socket);
            try
            {
                await SocketTaskExtensions.ConnectAsync(socket, remote).ConfigureAwait(false);
                cancellationToken.ThrowIfCancellationRequested(); // it is closed then
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException && cancellationToken.IsCancellationRequested)
            {
                throw new OperationCanceledException(e.Message, e, cancellationToken);
            }
        }

        /// <summary>Accepts. One that was cancelled goes on by itself, and whoever accepts next gets what it takes in.</summary>
        public async ValueTask<Socket> AcceptAsync(CancellationToken cancellationToken)
        {
            var accepting = s_cancelled.TryGetValue(socket, out var begun) ? begun : SocketTaskExtensions.AcceptAsync(socket);
            s_cancelled.Remove(socket);
            try
            {
                return await accepting.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                s_cancelled.Add(socket, accepting);
                _ = accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // it may end for nobody
                throw;
            }
        }

        public void Listen() => socket.Listen(int.MaxValue); // the system's own limit is less
    }

    extension(Dns)
    {
        public static Task<IPAddress[]> GetHostAddressesAsync(string host, CancellationToken cancellationToken) =>
            Dns.GetHostAddressesAsync(host).WaitAsync(cancellationToken);
    }
}
