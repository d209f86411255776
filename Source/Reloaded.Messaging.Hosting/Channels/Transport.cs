using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A transport from outside of this library: where <see cref="MessageEndpoint.Over"/> listens and connects.</summary>
/// <remarks>
/// Instances are asked from any thread, several at a time. What goes over the network is the channels' alone; addresses are resolved, and a
/// server that other machines could reach without <see cref="MessageHostOptions.Protection"/> is refused, before a transport is asked.
/// </remarks>
public abstract class Transport
{
    /// <summary>What an endpoint begins with, for people: "litenet", say.</summary>
    public abstract string Scheme { get; }

    /// <summary>Listens.</summary>
    /// <param name="endpoint">Where, as the program said it.</param>
    /// <param name="address">The endpoint's address.</param>
    /// <param name="options">How the host behaves.</param>
    /// <returns>The listener: the host's to dispose.</returns>
    /// <exception cref="InvalidOperationException">The port is taken, or the options don't suit the transport.</exception>
    public abstract ValueTask<TransportListener> ListenAsync(MessageEndpoint endpoint, IPAddress address, MessageHostOptions options);

    /// <summary>Connects, once.</summary>
    /// <param name="endpoint">Where to, as the program said it.</param>
    /// <param name="address">The endpoint's address.</param>
    /// <param name="options">How the host behaves.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The channel: the host's to dispose.</returns>
    /// <exception cref="TransportClosedException">Nobody listens there, or refuses.</exception>
    public abstract ValueTask<TransportChannel> ConnectAsync(MessageEndpoint endpoint, IPAddress address, MessageHostOptions options, CancellationToken cancellationToken);
}
