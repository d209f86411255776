using System;

namespace Reloaded.Messaging;

/// <summary>Where a connection's datagrams go: a socket of its own, or one that many share. Thread-safe.</summary>
internal interface IDatagramPort
{
    /// <summary>Sends a datagram, or loses it.</summary>
    void Send(ReadOnlySpan<byte> datagram);

    /// <summary>The connection is over: nothing is sent any more.</summary>
    void Release(UdpChannel channel);
}
