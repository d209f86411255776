namespace Reloaded.Messaging;

/// <summary>The settings that a host passes to its transport for every connection. Immutable except for its counters and its lock-out.</summary>
public sealed class TransportContext
{
    /// <summary>The secret that both sides must know, and that the host proves after a connection is opened; empty for no token.</summary>
    public ReadOnlyMemory<byte> Token { get; init; }

    /// <summary>The encryption of all traffic, or <see langword="null"/> for no encryption. A transport with <see cref="Transport.AppliesProtection"/> must apply it.</summary>
    public ProtectionOptions? Protection { get; init; }

    /// <summary>The name under which clients of this user find the server by its process, or <see langword="null"/> for an unpublished server. The library publishes the name; the transport does not.</summary>
    public string? PublishedName { get; init; }

    /// <summary>The time within which the other side of a new connection must prove that it may connect (default: 5 s).</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum time for which disposing a channel waits until the other side has received everything (default: 1 s).</summary>
    public TimeSpan FlushTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The maximum size of a frame, in bytes, without the length prefix (default: 1 MiB). The host enforces it. A transport that stores whole frames limits its memory by it.</summary>
    public int MaxFrameSize { get; init; } = 1 << 20;

    /// <summary>The maximum number of authenticated connections of a server (default: 1024).</summary>
    public int MaxConnections { get; init; } = 1024;

    /// <summary>The maximum number of connections that have not yet proved that they may connect (default: 1024).</summary>
    public int MaxUnauthenticated { get; init; } = 1024;

    /// <summary>The maximum number of such connections from one <see cref="TransportChannel.RemoteIdentity"/> (default: 64).</summary>
    public int MaxUnauthenticatedPerAddress { get; init; } = 64;

    /// <summary>The memory that the UDP connections of a listener may hold together, in bytes. Constant: only a test sets it.</summary>
    internal long MaxHeldBytes { get; init; } = 64 << 20;

    /// <summary>The bytes by which each UDP connection of a listener raises <see cref="MaxHeldBytes"/>.</summary>
    internal int HeldBytesOfEach { get; init; } = 128 << 10;

    /// <summary>The clock of the timers of the transport (default: the system clock). A host does not set it to its own clock: only a caller that creates the context, such as a test, sets it.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The addresses that failed to prove a secret. A transport that proves secrets by itself records failures there, and refuses addresses that are locked out. The server uses it in the same way for tokens.</summary>
    public AddressLockout Lockout { get; init; } = new();

    /// <summary>The counters of a transport that sends datagrams. The host reports them.</summary>
    public DatagramCounters Datagrams { get; } = new();
}
