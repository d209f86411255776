using System;
using System.Collections.Generic;
using System.Net;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A connection as the server's socket knows it: whose it is, and how far it has come.</summary>
internal sealed class UdpSession(UdpListener listener, ulong id, SocketAddress address, string source, byte[] accept, long since) : IDatagramPort
{
    public ulong Id => id;

    /// <summary>Where it was made from: the only address it is believed from.</summary>
    public SocketAddress Address => address;

    /// <summary>What limits per address count it as: the group of its address, or, on this machine, its address and port.</summary>
    public string Source => source;

    /// <summary>Its place among the unauthenticated connections, or <see langword="null"/> if it is none of them. Guarded by their lock.</summary>
    public LinkedListNode<UdpSession>? Place { get; set; }

    /// <summary>What the client was answered, and is again if it asks again.</summary>
    public byte[] Accept => accept;

    /// <summary>When it was made.</summary>
    public long Since => since;

    /// <summary>When its client first said that it refuses the connection, or <see langword="null"/> if the client has not said that.</summary>
    public long? RefusedSince => Volatile.Read(ref _refusedSince) is > 0 and var refused ? refused : null;

    private long _refusedSince;
    private int _isAccepted;

    /// <summary>Whether the host has it: the client has shown that it knows the secret, if there is one.</summary>
    public bool IsAccepted => Volatile.Read(ref _isAccepted) != 0;

    public UdpChannel Channel { get; set; } = null!;

    /// <summary>Makes it the host's.</summary>
    /// <returns>False if it is already, or is becoming so on another thread.</returns>
    public bool TryAccept() => Interlocked.CompareExchange(ref _isAccepted, 1, 0) == 0;

    /// <summary>Notes that the client refuses the connection.</summary>
    public void Refuse(long now) => Interlocked.CompareExchange(ref _refusedSince, now, 0);

    /// <summary>Takes that back: the host had no room for it.</summary>
    public void Unaccept() => Volatile.Write(ref _isAccepted, 0);

    public void Send(ReadOnlySpan<byte> datagram) => listener.Send(datagram, address);

    public void Release(UdpChannel channel) => listener.Forget(this);
}
