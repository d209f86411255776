using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>The two lines that a program begins with.</content>
public abstract partial class MessageHost
{
    /// <summary>Listens for peers.</summary>
    /// <param name="endpoint">Where.</param>
    /// <param name="configure">Registers handlers before the first peer can say anything.</param>
    /// <param name="options">How to behave.</param>
    /// <returns>The server: it listens when the task is done.</returns>
    /// <exception cref="InvalidOperationException">A server listens there already, its files can't be made, the options contradict each other, or the endpoint is open to other machines and there is no token or no TLS.</exception>
    public static async Task<MessageServer> ListenAsync(MessageEndpoint endpoint, Action<MessageServer>? configure = null, MessageHostOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        options ??= new MessageHostOptions();
        options.Check();
        var context = options.MakeTransportContext();
        var listener = await endpoint.ListenAsync(context).ConfigureAwait(false);
        MessageServer? server = null;
        try
        {
            server = new MessageServer(endpoint, listener, context, options);
            configure?.Invoke(server);
            server.Start();
            return server;
        }
        catch
        {
            await ((IAsyncDisposable?)server ?? listener).DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Connects to a server. With <see cref="MessageHostOptions.Reconnect"/> it waits for a server that is not there yet, or has no room; it throws when the server refuses it for good, as by a wrong token.</summary>
    /// <param name="endpoint">Where it listens.</param>
    /// <param name="configure">Registers handlers before the server can say anything.</param>
    /// <param name="options">How to behave.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The client, connected. The server has it among its peers: a broadcast there reaches it.</returns>
    /// <exception cref="TransportClosedException">Nobody listens there, or TLS fails.</exception>
    /// <exception cref="DiscoveryException">There is no such process, or it has no server of that name.</exception>
    /// <exception cref="HandshakeException">The server refused, or is none.</exception>
    /// <exception cref="InvalidOperationException">The options contradict each other, or the token is too short for the endpoint.</exception>
    public static async Task<MessageClient> ConnectAsync(
        MessageEndpoint endpoint,
        Action<MessageClient>? configure = null,
        MessageHostOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        options ??= new MessageHostOptions();
        options.Check();
        var dialer = new Dialer(endpoint, options);
        var (channel, token) = await dialer.DialUntilReachedAsync(cancellationToken).ConfigureAwait(false);
        MessageClient? client = null;
        try
        {
            client = new MessageClient(dialer, channel, token, options);
            configure?.Invoke(client);
            await client.StartAsync(cancellationToken).ConfigureAwait(false);
            return client;
        }
        catch
        {
            await ((IAsyncDisposable?)client ?? channel).DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
