using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A way to move bytes between processes or machines, with its options. An endpoint carries its transport.</summary>
/// <remarks>
/// <para>
/// Derive from this class to write a transport. The library calls it from any thread, several times at once. It resolves host names, checks
/// that the options suit the address, and adds <see cref="TransportContext.Protection"/>: a transport opens connections and nothing else.
/// </para>
/// <para>The properties of this class say what the library needs to know for these checks. Each has the strictest value by default.</para>
/// </remarks>
public abstract class Transport
{
    /// <summary>The first part of an endpoint's text, for example <c>tcp</c>.</summary>
    public abstract string Scheme { get; }

    /// <summary>Whether only programs of this user on this machine can connect (default: <see langword="false"/>).</summary>
    /// <remarks>
    /// If <see langword="true"/>, an address is a name or a path without a port, and no host name is resolved. If <see langword="false"/>, a token
    /// has to have 16 bytes, and a server that other machines can reach has to be encrypted.
    /// </remarks>
    public virtual bool IsLocal => false;

    /// <summary>Whether the transport encrypts everything by itself and so makes a server safe to reach from other machines (default: <see langword="false"/>).</summary>
    public virtual bool IsEncrypted => false;

    /// <summary>Whether a server that other machines can reach needs a token in addition to encryption (default: <see langword="false"/>).</summary>
    public virtual bool RequiresToken => false;

    /// <summary>Whether the transport applies <see cref="TransportContext.Protection"/> by itself (default: <see langword="false"/>). If not, the library encrypts the bytes of each channel as one stream.</summary>
    public virtual bool AppliesProtection => false;

    /// <summary>Whether its channels are plain streams of bytes, by which another program's <see cref="LengthPrefix"/> can be spoken (default: <see langword="false"/>).</summary>
    public virtual bool IsStream => false;

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

    /// <summary>Listens.</summary>
    /// <param name="address">Where to listen, with the IP address of its host. A port of 0 asks for a free one.</param>
    /// <param name="context">What the transport gets from its host.</param>
    /// <returns>The listener. The caller disposes it.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the address is in use, or when the options do not suit the transport.</exception>
    public abstract ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context);

    /// <summary>Connects, once.</summary>
    /// <param name="address">Where to connect to, with the IP addresses of its host, of which there is at least one unless the transport <see cref="IsLocal"/>.</param>
    /// <param name="context">What the transport gets from its host.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The channel. The caller disposes it.</returns>
    /// <exception cref="TransportClosedException">Thrown when no server listens there, or when the server refuses.</exception>
    public abstract ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken);
}
