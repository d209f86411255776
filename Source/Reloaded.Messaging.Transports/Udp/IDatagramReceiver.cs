using System;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>What is done with a socket's datagrams. One at a time, in order.</summary>
internal interface IDatagramReceiver
{
    /// <summary>Takes a datagram.</summary>
    /// <param name="datagram">Valid until the call returns.</param>
    /// <param name="from">Its sender: the same object each time, to be copied.</param>
    /// <returns>The channel whose receive is to be completed, once the next datagram is waited for.</returns>
    UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from);

    /// <summary>Counts and reports an exception that <see cref="Receive"/> threw. The next datagram is received.</summary>
    void Fail(Exception exception);

    /// <summary>The socket can't receive any more; or it was closed.</summary>
    void Stop(SocketError reason);
}
