using System;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Handles the datagrams of a socket, one at a time and in order.</summary>
internal interface IDatagramReceiver
{
    /// <summary>Handles a datagram.</summary>
    /// <param name="datagram">The datagram. Valid until the call returns.</param>
    /// <param name="from">The address of the sender. Every call passes the same object, so copy it to keep it.</param>
    /// <returns>The channel whose receive must be completed after the wait for the next datagram has begun, or <see langword="null"/>.</returns>
    UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from);

    /// <summary>Counts and reports an exception that <see cref="Receive"/> threw. The loop continues.</summary>
    void Fail(Exception exception);

    /// <summary>Reports that the socket cannot receive any more, or that it was closed.</summary>
    void Stop(SocketError reason);
}
