using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A server, and a client that is connected to it.</summary>
internal sealed class HostPair : IAsyncDisposable
{
    private HostPair(MessageServer server, MessageClient client) => (Server, Client) = (server, client);

    public MessageServer Server { get; }

    public MessageClient Client { get; }

    /// <summary>Starts a server, and connects a client to it.</summary>
    /// <param name="endpoint">The endpoint of the server.</param>
    /// <param name="server">Configures the server before it listens.</param>
    /// <param name="client">Configures the client before it connects.</param>
    /// <param name="options">The options of both hosts.</param>
    /// <param name="serverOptions">The options of the server, if they differ.</param>
    /// <param name="clientOptions">The options of the client, if they differ.</param>
    public static async Task<HostPair> ConnectAsync(
        MessageEndpoint endpoint,
        Action<MessageServer>? server = null,
        Action<MessageClient>? client = null,
        MessageHostOptions? options = null,
        MessageHostOptions? serverOptions = null,
        MessageHostOptions? clientOptions = null)
    {
        var listening = await MessageHost.ListenAsync(endpoint, server, serverOptions ?? options);
        try
        {
            return new HostPair(listening, await MessageHost.ConnectAsync(listening.Endpoint, client, clientOptions ?? options).InTime());
        }
        catch
        {
            await listening.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync();
        await Server.DisposeAsync();
    }
}
