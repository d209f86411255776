using System;
using System.Collections.Generic;
using System.Diagnostics;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace GameInspector;

/// <summary>The server of a mod, which a tool outside of the game connects to. All members have to be called on the thread of the game.</summary>
internal sealed class InspectorServer
{
    private static readonly PumpBudget s_perFrame = PumpBudget.Time(TimeSpan.FromMilliseconds(2));

    private readonly MessageServer _server;

    /// <param name="listMods">Returns the mods of the game. Called in <see cref="Pump"/>.</param>
    /// <param name="logError">Writes to the log of the mod. Called in <see cref="Pump"/>.</param>
    public InspectorServer(Func<IEnumerable<ModEntry>> listMods, Action<string> logError)
    {
        MessageContracts.Declare(); // for loaders and runtimes that run no module initializers
        _server = MessageHost.ListenAsync(MessageEndpoint.OfProcess(Process.GetCurrentProcess().Id, "game-inspector"), Register, new MessageHostOptions { IsPumped = true }).GetAwaiter().GetResult();
        _server.HandlerFailed += failure => logError(failure.Exception.ToString());

        void Register(MessageServer server)
        {
            _ = server.AllowInspection(); // for the command "watch" of the tool
            _ = server.OnRequest((ListMods _) => new ModList([.. listMods()]));
        }
    }

    /// <summary>Handles the messages of the tools, in each frame of the game.</summary>
    public void Pump() => _server.Pump(s_perFrame);

    /// <summary>Tells all tools that the game loaded something.</summary>
    public void Announce(string name) => _server.Broadcast(new Loaded(name));

    /// <summary>Ends the server, when the mod is unloaded or the game ends.</summary>
    public void Stop() => _server.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
