using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

// dotnet run                starts the server
// dotnet run -- bot Ada     starts a bot, in another terminal
var endpoint = MessageEndpoint.Udp("127.0.0.1", 9050);
using var stopping = new CancellationTokenSource();
Console.CancelKeyPress += (_, pressed) => (pressed.Cancel, _) = (true, stopping.CancelAsync());
if (args is ["bot", var name])
{
    await using var bot = await Bot.JoinAsync(endpoint, name, stopping);
    await EachSecondAsync(bot, bot.Turn);
}
else
{
    // With the keys, MessageEndpoint.Udp("0.0.0.0", 9050) may serve other machines.
    await using var world = await World.StartAsync(MessageEndpoint.Udp(9050));
    Console.WriteLine($"Listening at {endpoint}. Start bots in other terminals: dotnet run -- bot Ada. Press Ctrl+C to stop.");
    Console.WriteLine($"The server key, which is also in players.txt: {world.ServerKey}");
    await EachSecondAsync(world, static () => { });
}

async Task EachSecondAsync(object what, Action action)
{
    while (!stopping.IsCancellationRequested)
    {
        action();
        Console.WriteLine(what);
        await Task.Delay(1000, stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
