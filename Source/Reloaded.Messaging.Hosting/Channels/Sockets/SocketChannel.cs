using System;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Channels.Sockets;

/// <summary>A connected stream socket: TCP and Unix sockets are the same from here on.</summary>
internal sealed class SocketChannel(Socket socket, string remoteName) : MessageChannel
{
    public override string RemoteName => remoteName;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        try
        {
            while (frames.Length > 0)
            {
                var sent = await socket.SendAsync(frames, SocketFlags.None, cancellationToken).ConfigureAwait(false);
                frames = frames.Slice(sent);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new ChannelClosedException($"Sending to {remoteName} failed: {e.Message}", e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            return await socket.ReceiveAsync(buffer, SocketFlags.None, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new ChannelClosedException($"Receiving from {remoteName} failed: {e.Message}", e);
        }
    }

    public override void Abort() => socket.Dispose();

    public override ValueTask DisposeAsync()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send); // what was sent is delivered before the end
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It is closed already: that is what was wanted.
            _ = e;
        }

        socket.Dispose();
        return default;
    }
}
