using System;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The connection of the tool. It finds the game, also after a restart of the game.</summary>
public static class ModTool
{
    /// <param name="processId">The process of the game. If it ends, the tool connects to another process with a server of the same name.</param>
    /// <param name="trying">Called before each attempt to reconnect, and before each further attempt to connect.</param>
    public static Task<MessageClient> ConnectAsync(int processId, string name, Action<ReconnectAttempt>? trying = null)
    {
        var reconnect = new ReconnectOptions
        {
            MaxDelay = TimeSpan.FromMilliseconds(400),
            ResendsRequests = true, // calls of this tool may be sent twice, because a repetition changes nothing
            NextEndpoint = attempt =>
            {
                trying?.Invoke(attempt);
                return new(MessageEndpoint.FindServers(name) is [var game, ..] ? game : attempt.Endpoint);
            },
        };
        var options = new MessageHostOptions { Reconnect = reconnect, RequestTimeout = TimeSpan.FromSeconds(30) }; // enough time for a game to restart
        return MessageHost.ConnectAsync(MessageEndpoint.OfProcess(processId, name), options: options);
    }
}
