using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Threading;
using Dashboard;
using Reloaded.Messaging;

// A game with mods, and a page in the browser that shows them, their messages, and the connections.
var (port, seconds, moreMods) = (8099, Timeout.Infinite, 0);
for (var i = 0; i < args.Length; i += 2)
{
    if (i + 1 < args.Length && int.TryParse(args[i + 1], CultureInfo.InvariantCulture, out var number) && number >= 0)
    {
        switch (args[i])
        {
            case "--port":
                port = number;
                continue;
            case "--seconds":
                seconds = number;
                continue;
            case "--more-mods":
                moreMods = number;
                continue;
        }
    }

    Console.Error.WriteLine("Usage: Dashboard [--port PORT] [--seconds N] [--more-mods N]");
    return 2;
}

using var stopping = new CancellationTokenSource();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stopping.Cancel();
};
if (seconds != Timeout.Infinite)
    stopping.CancelAfter(TimeSpan.FromSeconds(seconds));

PageServer page;
try
{
    page = new PageServer(Path.Combine(AppContext.BaseDirectory, "page"), port);
}
catch (HttpListenerException e)
{
    Console.Error.WriteLine($"The port {port} of the page cannot be used: {e.Message}. If another dashboard runs, end it, or choose another port by --port.");
    return 1;
}

await using var serving = page;
var token = PageToken.ReadOrCreate();
await using var game = await Game.StartAsync(
    MessageEndpoint.WebSocket(0, new WebSocketEndpointOptions { AllowedOrigins = [page.Origin] }),
    token,
    [
        new Mod(0, "Weather Overhaul", "Mira", "2.1.0", 120),
        new Mod(1, "Photo Mode", "Tomo", "1.4.2", 35),
        new Mod(2, "Smarter Companions", "Aiko & Jun", "0.9.7", 260),
        new Mod(3, "Voice Pack: Original Cast", "Studio North", "3.0.0", 15),
        new Mod(4, "Network Statistics", "Rafał", "1.0.1", 80),
        .. Enumerable.Range(5, moreMods).Select(static id => new Mod(id, $"Mod {id}", "Mod Factory", $"1.{id}.0", 5)),
    ]);
page.GamePort = game.Pages.Endpoint.Port;
game.Pages.PeerConnected += peer => Console.WriteLine($"connected: {peer.RemoteName}");
game.Pages.PeerDisconnected += (peer, reason) => Console.WriteLine($"disconnected: {peer.RemoteName}, {reason}");

// The fragment of a URL stays in the browser: the token reaches the page without being sent.
Console.WriteLine("Open this address in a browser of this machine. End with Ctrl+C.");
Console.WriteLine($"ready {page.Origin}/#token={Convert.ToHexString(token)}");
await game.RunAsync(stopping.Token);
Console.WriteLine("Next: Clients/javascript/README.md, or dotnet run -c Release --project Integrations/RabbitMQ/Examples/Fleet");
return 0;
