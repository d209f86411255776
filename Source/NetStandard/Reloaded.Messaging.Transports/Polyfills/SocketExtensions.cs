using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Polyfills;

internal static class SocketExtensions
{
    private static readonly ConditionalWeakTable<Socket, Task<Socket>> s_cancelled = new();

    /// <summary>Connects. Cancellation closes the socket, because this target has no other way to end the attempt.</summary>
    public static async ValueTask ConnectAsync(this Socket socket, EndPoint remote, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var registration = cancellationToken.UnsafeRegister(static socket => ((Socket)socket!).Dispose(), socket);
        try
        {
            await SocketTaskExtensions.ConnectAsync(socket, remote).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested(); // cancellation has closed the socket
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException && cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
    }

    /// <summary>Accepts a connection. A cancelled accept stays pending, and the next accept returns its connection.</summary>
    public static async ValueTask<Socket> AcceptAsync(this Socket socket, CancellationToken cancellationToken)
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
            _ = accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the exception is observed, because there may be no next accept
            throw;
        }
    }

    public static void Listen(this Socket socket) => socket.Listen(int.MaxValue); // the system reduces the value to its own limit

    extension(Dns)
    {
        public static Task<IPAddress[]> GetHostAddressesAsync(string host, CancellationToken cancellationToken) =>
            Dns.GetHostAddressesAsync(host).WaitAsync(cancellationToken);
    }
}
