using System;
using System.Threading.Tasks;
using ModLoader.Game;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The server inside the game. Its handlers run on the thread on which the game pumps the server.</summary>
public static class ModServer
{
    public static Task<MessageServer> ListenAsync(Mods mods, string name) => MessageHost.ListenAsync(
        MessageEndpoint.OfProcess(Environment.ProcessId, name),
        server =>
        {
            server.OnRequest((ListMods _) => new ModList(Environment.ProcessId, mods.List()));
            server.OnRequest((SetModState set) => mods.Set(set.ModId, set.State));
        },
        new MessageHostOptions { IsPumped = true });
}
