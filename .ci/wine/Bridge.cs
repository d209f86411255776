using System;
using System.Globalization;
using Bridge;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

// bridge game TOKEN: listens over TCP with a token, publishes another server with a token of its own, and ends with its input.
// bridge tool TOKEN PORT PID: connects to that game from the other side of Wine.
const string Name = "bridge";
var options = new MessageHostOptions { Token = Convert.FromHexString(args[1]) };
if (args[0] == "game")
{
    await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static server => server.OnRequest((Question question) => new Answer(question.Number, Environment.OSVersion.Platform.ToString())), options);
    await using var published = await MessageHost.ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, Name));
    Console.WriteLine($"ready {server.Endpoint.Port} {Environment.ProcessId}");
    Console.In.ReadLine();
    return 0;
}

var (port, processId) = (int.Parse(args[2], CultureInfo.InvariantCulture), int.Parse(args[3], CultureInfo.InvariantCulture));
await using (var tool = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(port), options: options))
{
    for (var number = 0; number < 1000; number++)
    {
        var answer = await tool.RequestAsync<Question, Answer>(new Question(number));
        if (answer.Number != number || answer.Platform != "Win32NT")
            throw new InvalidOperationException($"Expected {number} of Win32NT; got {answer}.");
    }
}

try
{
    await using var stranger = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(port), options: new MessageHostOptions { Token = new byte[32] });
    throw new InvalidOperationException("A wrong token was accepted.");
}
catch (HandshakeException e) when (e.Reason == DisconnectReason.WrongToken)
{
    Console.WriteLine($"Wrong token: {e.Message}");
}

try
{
    await using var lost = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(processId, Name));
    throw new InvalidOperationException("A process id of Wine was found.");
}
catch (DiscoveryException e) when (e.Message.Contains("Wine", StringComparison.Ordinal))
{
    Console.WriteLine($"Process id of Wine: {e.Message}");
}

return 0;

namespace Bridge
{
    /// <summary>The request of the tool.</summary>
    [Message]
    internal readonly record struct Question(int Number);

    /// <summary>The reply of the game.</summary>
    [Message]
    internal sealed record Answer(int Number, string Platform);
}
