using System.Net;

namespace Reloaded.Messaging;

/// <summary>The address at which a transport listens, or to which it connects. Immutable.</summary>
public sealed class TransportAddress
{
    /// <summary>Creates an address.</summary>
    /// <param name="transport">The transport that the address belongs to.</param>
    /// <param name="name">A host name or IP address. For a local transport: a name or a path.</param>
    /// <param name="port">The port (0–65535). Use 0 for a local transport, or to have a free port assigned.</param>
    /// <exception cref="ArgumentException">Thrown when the name is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the port is out of range.</exception>
    public TransportAddress(Transport transport, string name, int port = 0)
    {
        ArgumentNullException.ThrowIfNull(transport);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        Transport = transport;
        Name = name;
        Port = Guard.Between(0, 65535, port, nameof(port));
    }

    /// <summary>The transport.</summary>
    public Transport Transport { get; }

    /// <summary>A host name or IP address. For a local transport: a name or a path.</summary>
    public string Name { get; }

    /// <summary>The port (0–65535): 0 for a local transport, or to have a free port assigned.</summary>
    public int Port { get; }

    /// <summary>The IP addresses of the host, in the order of connection attempts. A server uses the first address. Empty for a local transport, and before the host is resolved.</summary>
    public IReadOnlyList<IPAddress> IPAddresses { get; init; } = [];

    /// <summary>The first IP address, with the port.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the address was not resolved.</exception>
    public IPEndPoint FirstEndPoint => IPAddresses.Count > 0
        ? new IPEndPoint(IPAddresses[0], Port)
        : throw new InvalidOperationException($"{this} has no IP address. Either its host was not resolved, or its transport is local.");

    /// <summary>Returns the same address with another port, for example the port that was assigned to a listener.</summary>
    /// <param name="port">The port (0–65535).</param>
    public TransportAddress WithPort(int port) => new(Transport, Name, port) { IPAddresses = IPAddresses };

    /// <summary>The address as text: scheme, name and port.</summary>
    public override string ToString() => Transport.Describe(Name, Port);
}
