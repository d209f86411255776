using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>How a host behaves. Immutable.</summary>
public sealed class MessageHostOptions
{
    /// <summary>What it refuses.</summary>
    public HostLimits Limits { get; init; } = HostLimits.Default;

    /// <summary>The limits of the size of a message (default: 1 MiB, and 1 MiB after decompression).</summary>
    public MessageLimits MessageLimits { get; init; } = MessageLimits.Default;

    /// <summary>What both sides have to know; empty for no token. It never crosses the wire: each proves that it knows it. Copied.</summary>
    /// <remarks>
    /// At least 16 random bytes, not a password, unless the endpoint is for this user alone: in-process, a Unix socket, a named pipe, or by process id. The client
    /// proves it first: a program that listens at the port in the server's place can try guesses against that proof, and so finds a short or guessable token.
    /// </remarks>
    public ReadOnlyMemory<byte> Token { get; init => field = value.ToArray(); }

    /// <summary>Under which name clients of this user find a server by its process's id, wherever it listens; null for none.</summary>
    /// <remarks>If there is no <see cref="Token"/>, the server makes a random one, which only those who find it in this way learn.</remarks>
    public string? PublishedName { get; init; }

    /// <summary>How a client connects again by itself; null for not.</summary>
    public ReconnectOptions? Reconnect { get; init; }

    /// <summary>How everything is encrypted, the handshake included; null for not at all. Both sides need the same.</summary>
    public ProtectionOptions? Protection { get; init; }

    /// <summary>How long a request waits for its reply, if its call says nothing else: longer than zero, by default 5 s.</summary>
    public TimeSpan RequestTimeout { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(5);

    /// <summary>How often a peer is pinged: longer than zero, by default 2 s.</summary>
    public TimeSpan PingInterval { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(2);

    /// <summary>After how long without a byte from it a peer is gone: longer than zero and at least <see cref="PingInterval"/>, by default 15 s.</summary>
    public TimeSpan KeepAliveTimeout { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(15);

    /// <summary>After how long without an event or a request a peer is disconnected: longer than zero; null, the default, for never. Pings and replies don't count.</summary>
    public TimeSpan? IdleTimeout { get; init => field = value is { } time ? Guard.Positive(time) : null; }

    /// <summary>The clock for rates, idle peers and late credentials.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether handlers run where <see cref="MessageHost.Pump"/> is called, such as a game's main thread, and not on the thread pool.</summary>
    public bool IsPumped { get; init; }

    /// <summary>The maximum number of messages that wait for a pump, of all peers (default: 8192). Past that, peers wait to be read from.</summary>
    /// <remarks>One peer may fill eight ninths of it. A peer without a waiting message always gets one in, so the maximum may be exceeded by one message for each peer.</remarks>
    public int PumpCapacity { get; init; } = 8192;

    /// <summary>The maximum bytes of the messages that wait for a pump, of all peers (default: 64 MiB). Past that, peers wait to be read from.</summary>
    /// <remarks>A peer without a waiting message still gets one in, until twice as many bytes wait. While no more than the maximum waits, a message of any size gets in. Messages of peers that are gone count until they are handled.</remarks>
    public int PumpBytes { get; init; } = 64 << 20;

    /// <summary>Whether a peer whose contracts differ is accepted all the same; <see cref="MessageHost.ContractMismatched"/> reports it in both cases.</summary>
    public bool AcceptsOtherContracts { get; init; }

    /// <summary>Checks what single properties can't: called where the options are used.</summary>
    /// <exception cref="InvalidOperationException">Thrown when two of them contradict each other.</exception>
    internal void Check()
    {
        if (KeepAliveTimeout < PingInterval)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.KeepAliveTimeout is {KeepAliveTimeout} and MessageHostOptions.PingInterval is {PingInterval}: every peer would be disconnected before it is pinged. Set KeepAliveTimeout to several times the PingInterval.");
        }
    }

    /// <summary>Makes what a transport gets from its host.</summary>
    internal TransportContext MakeTransportContext() => new()
    {
        Token = Token,
        Protection = Protection,
        PublishedName = PublishedName,
        HandshakeTimeout = Limits.HandshakeTimeout,
        MaxFrameSize = Math.Max(MessageLimits.MaxMessageSize, HostLimits.MaxControlSize),
        MaxConnections = Limits.MaxPeers,
        MaxUnauthenticated = Limits.MaxUnauthenticated,
        MaxUnauthenticatedPerAddress = Limits.MaxUnauthenticatedPerAddress,
        Lockout = new AddressLockout(TimeProvider),
    };
}
