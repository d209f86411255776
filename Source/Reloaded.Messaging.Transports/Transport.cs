namespace Reloaded.Messaging;

/// <summary>Moves bytes between processes or machines, and holds the options for that. An endpoint carries its transport.</summary>
/// <remarks>
/// <para>
/// Derive from this class to write a transport. The library calls the transport from any thread, several times at once. The library resolves host
/// names, checks that the options suit the address, and adds <see cref="TransportContext.Protection"/>. The transport only opens connections.
/// </para>
/// <para>The properties of this class provide the information that the library needs for these checks. Each default is the strictest value.</para>
/// </remarks>
public abstract class Transport
{
    /// <summary>The first part of an endpoint's text, for example <c>tcp</c>.</summary>
    public abstract string Scheme { get; }

    /// <summary>Whether only programs of this user on this machine can connect (default: <see langword="false"/>).</summary>
    /// <remarks>
    /// If <see langword="true"/>, an address is a name or a path without a port, and no host name is resolved. If <see langword="false"/>, a token
    /// needs at least 16 bytes, and a server that is reachable from other machines must be encrypted.
    /// </remarks>
    public virtual bool IsLocal => false;

    /// <summary>Whether the transport encrypts all traffic by itself, so that a server may be reachable from other machines (default: <see langword="false"/>).</summary>
    public virtual bool IsEncrypted => false;

    /// <summary>Whether a server that is reachable from other machines needs a token in addition to encryption (default: <see langword="false"/>).</summary>
    public virtual bool RequiresToken => false;

    /// <summary>Whether the transport applies <see cref="TransportContext.Protection"/> by itself (default: <see langword="false"/>). Otherwise, the library encrypts the bytes of each channel as one stream.</summary>
    public virtual bool AppliesProtection => false;

    /// <summary>Returns an address as text: by default the scheme, the name and, unless the transport <see cref="IsLocal"/>, the port.</summary>
    /// <param name="name">The name of the address.</param>
    /// <param name="port">The port of the address.</param>
    public virtual string Describe(string name, int port)
    {
        ArgumentNullException.ThrowIfNull(name);
        return IsLocal ? $"{Scheme}://{name}"
            : name.Contains(':', StringComparison.Ordinal) ? $"{Scheme}://[{name}]:{port}"
            : $"{Scheme}://{name}:{port}";
    }

    /// <summary>Listens at an address.</summary>
    /// <param name="address">The address, with the IP address of its host. Port 0 requests a free port.</param>
    /// <param name="context">The settings that the host passes to the transport.</param>
    /// <returns>The listener. The caller disposes it.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the address is in use, or when the options do not suit the transport.</exception>
    public abstract ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context);

    /// <summary>Connects, with one attempt.</summary>
    /// <param name="address">The address, with the IP addresses of its host: at least one, unless the transport <see cref="IsLocal"/>.</param>
    /// <param name="context">The settings that the host passes to the transport.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>The channel. The caller disposes it.</returns>
    /// <exception cref="TransportClosedException">Thrown when no server listens at the address, or when the server refuses the connection.</exception>
    public abstract ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken);
}
