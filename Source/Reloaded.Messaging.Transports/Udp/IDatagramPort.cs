using System;

namespace Reloaded.Messaging;

/// <summary>Sends the datagrams of a connection, through a private socket or a shared socket. Thread-safe.</summary>
internal interface IDatagramPort
{
    /// <summary>Sends a datagram. A datagram that cannot be sent is dropped.</summary>
    void Send(ReadOnlySpan<byte> datagram);

    /// <summary>Releases the port, because the connection has ended. Nothing more is sent.</summary>
    void Release(UdpChannel channel);
}
