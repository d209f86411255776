using System;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The tool's side: finds the game, again if it was restarted, and asks it.</summary>
public sealed class ModTool : IAsyncDisposable
{
    private ModTool(MessageClient client) => Client = client;

    public MessageClient Client { get; }

    /// <param name="processId">The game's process; another one that has a server of the same name will do if it ends.</param>
    /// <param name="name">The server's name.</param>
    /// <param name="trying">Told before each attempt to connect again, and before the second to connect at all.</param>
    public static async Task<ModTool> ConnectAsync(int processId, string name, Action<ReconnectAttempt>? trying = null)
    {
        var reconnect = new ReconnectOptions
        {
            MaxDelay = TimeSpan.FromMilliseconds(400),
            ResendsRequests = true, // what this tool asks for may be asked for twice
            NextEndpoint = attempt =>
            {
                trying?.Invoke(attempt);
                return new(MessageEndpoint.FindServers(name) is [var game, ..] ? game : attempt.Endpoint);
            },
        };
        var options = new MessageHostOptions { Reconnect = reconnect, RequestTimeout = TimeSpan.FromSeconds(30) }; // as long as a game takes to start again
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
