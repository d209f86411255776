using System;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The server inside the game. The methods of the service run on the thread on which the game pumps the server.</summary>
public static class ModServer
{
    public static Task<MessageServer> ListenAsync(IModLoader mods, string name) => MessageHost.ListenAsync(
        MessageEndpoint.OfProcess(Environment.ProcessId, name),
        server =>
        {
            server.AddService(mods);
            _ = server.AllowInspection(); // for the command "watch" of the tool
        },
        new MessageHostOptions { IsPumped = true });
}
