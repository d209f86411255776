using System;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The client of the tool. It finds the game, also after a restart of the game, and sends requests.</summary>
public sealed class ModTool : IAsyncDisposable
{
    private ModTool(MessageClient client) => Client = client;

    public MessageClient Client { get; }

    /// <param name="processId">The process of the game. If it ends, the tool connects to another process with a server of the same name.</param>
    /// <param name="name">The name of the server.</param>
    /// <param name="trying">Called before each attempt to reconnect, and before each further attempt to connect.</param>
    public static async Task<ModTool> ConnectAsync(int processId, string name, Action<ReconnectAttempt>? trying = null)
    {
        var reconnect = new ReconnectOptions
        {
            MaxDelay = TimeSpan.FromMilliseconds(400),
            ResendsRequests = true, // requests of this tool may be sent twice, because a repetition changes nothing
            NextEndpoint = attempt =>
            {
                trying?.Invoke(attempt);
                return new(MessageEndpoint.FindServers(name) is [var game, ..] ? game : attempt.Endpoint);
            },
        };
        var options = new MessageHostOptions { Reconnect = reconnect, RequestTimeout = TimeSpan.FromSeconds(30) }; // enough time for a game to restart
        return new ModTool(await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(processId, name), options: options));
    }

    public ValueTask<ModList> ListAsync() => Client.RequestAsync<ListMods, ModList>(default);

    public ValueTask<RequestResult<ModStateSet>> LoadAsync(string mod) => SetAsync(mod, ModState.Running);

    public ValueTask<RequestResult<ModStateSet>> ResumeAsync(string mod) => SetAsync(mod, ModState.Running);

    public ValueTask<RequestResult<ModStateSet>> SuspendAsync(string mod) => SetAsync(mod, ModState.Suspended);

    public ValueTask<RequestResult<ModStateSet>> UnloadAsync(string mod) => SetAsync(mod, ModState.Unloaded);

    public ValueTask DisposeAsync() => Client.DisposeAsync();

    private ValueTask<RequestResult<ModStateSet>> SetAsync(string mod, ModState state) =>
        Client.TryRequestAsync<SetModState, ModStateSet>(new SetModState(mod, state));
}
