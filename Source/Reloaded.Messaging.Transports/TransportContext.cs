using System;

namespace Reloaded.Messaging;

/// <summary>What a transport gets from its host. A host makes one and gives it to its transport for every connection. Immutable but for the counters in it.</summary>
public sealed class TransportContext
{
    /// <summary>The secret that both sides have to know, and that the host proves after a connection is made; empty for none.</summary>
    public ReadOnlyMemory<byte> Token { get; init; }

    /// <summary>How everything is encrypted; <see langword="null"/> for not at all. A transport with <see cref="Transport.AppliesProtection"/> has to apply it.</summary>
    public ProtectionOptions? Protection { get; init; }

    /// <summary>The name under which clients of this user find the server by its process; <see langword="null"/> for none. The library publishes it: a transport need not.</summary>
    public string? PublishedName { get; init; }

    /// <summary>The time in which a new connection has to show that its other side may connect (default: 5 s).</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum size of a frame without its length, in bytes (default: 1 MiB). It bounds what a transport has to hold for a frame.</summary>
    public int MaxFrameSize { get; init; } = 1 << 20;

    /// <summary>The maximum number of connections of a server, without those that are not authenticated (default: 1024).</summary>
    public int MaxConnections { get; init; } = 1024;

    /// <summary>The maximum number of connections that have not shown yet that their other side may connect (default: 1024).</summary>
    public int MaxUnauthenticated { get; init; } = 1024;

    /// <summary>The same, of one <see cref="TransportChannel.RemoteIdentity"/> (default: 64).</summary>
    public int MaxUnauthenticatedPerAddress { get; init; } = 64;

    /// <summary>The clock of the transport's own timers (default: the system's).</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The addresses that failed to prove a secret. A transport that proves secrets itself notes failures there, and refuses addresses that are locked out. The server does the same with its tokens.</summary>
    public AddressLockout Lockout { get; init; } = new();

    /// <summary>The counters of a transport that sends datagrams. The host reports them.</summary>
    public DatagramCounters Datagrams { get; } = new();
}
