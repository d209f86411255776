using System;
using System.Collections.Generic;
using System.Net;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A connection of the listener's socket: its address and its state.</summary>
internal sealed class UdpSession(UdpListener listener, ulong id, SocketAddress address, string source, byte[] accept, long since) : IDatagramPort
{
    public ulong Id => id;

    /// <summary>The address from which the connection was opened. Datagrams from other addresses are dropped.</summary>
    public SocketAddress Address => address;

    /// <summary>The source under which limits per address count the connection: its address group, or the address and port on this machine.</summary>
    public string Source => source;

    /// <summary>The position among the unauthenticated connections, or <see langword="null"/> if the connection is not one of them. Guarded by the lock of that list.</summary>
    public LinkedListNode<UdpSession>? Place { get; set; }

    /// <summary>The answer to the client, which is sent again if the client repeats its request.</summary>
    public byte[] Accept => accept;

    /// <summary>The time at which the connection was created.</summary>
    public long Since => since;

    /// <summary>The time at which the client first refused the connection, or <see langword="null"/> if it did not refuse.</summary>
    public long? RefusedSince => Volatile.Read(ref _refusedSince) is > 0 and var refused ? refused : null;

    private long _refusedSince;
    private int _isAccepted;

    /// <summary>Whether the connection was passed to the host. This requires that the client has proved that it knows the secret, if there is a secret.</summary>
    public bool IsAccepted => Volatile.Read(ref _isAccepted) != 0;

    public UdpChannel Channel { get; set; } = null!;

    /// <summary>Marks the connection as accepted by the host.</summary>
    /// <returns><see langword="true"/> if this call marked the connection; <see langword="false"/> if another call has already done so.</returns>
    public bool TryAccept() => Interlocked.CompareExchange(ref _isAccepted, 1, 0) == 0;

    /// <summary>Records that the client refused the connection.</summary>
    public void Refuse(long now) => Interlocked.CompareExchange(ref _refusedSince, now, 0);

    /// <summary>Reverts <see cref="TryAccept"/>, because the queue of the host is full.</summary>
    public void RevokeAcceptance() => Volatile.Write(ref _isAccepted, 0);

    public void Send(ReadOnlySpan<byte> datagram) => listener.Send(datagram, address);

    public void Release(UdpChannel channel) => listener.Forget(this);
}
