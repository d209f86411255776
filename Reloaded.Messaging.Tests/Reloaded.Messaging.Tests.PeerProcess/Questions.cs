using System.Globalization;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess;

/// <summary>A process that answers questions at an endpoint, or asks the server at one. A program for another kind of processor does the same.</summary>
public static class Questions
{
    public const string ServeVerb = "serve";
    public const string AskVerb = "ask";

    /// <summary>How many questions one process asks the other.</summary>
    public const int Count = 200;

    /// <summary>Options for a process that may be emulated, and then takes long to connect.</summary>
    public static MessageHostOptions Patient { get; } = new() { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMinutes(2) } };

    /// <summary>Answers until the input ends. Prints "ready" and the endpoint.</summary>
    public static async Task ServeAsync(string endpoint)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Parse(endpoint), Answer, Patient);
        Console.WriteLine($"ready{server.Endpoint}");
        await Console.In.ReadToEndAsync();
    }

    /// <summary>Asks a server. Prints "ready" and the number of right answers.</summary>
    public static async Task AskAsync(string endpoint)
    {
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Parse(endpoint), options: Patient);
        var right = await AskAsync(client);
        Console.WriteLine("ready" + right.ToString(CultureInfo.InvariantCulture));
        await Console.In.ReadToEndAsync();
    }

    /// <returns>The number of right answers.</returns>
    public static async Task<int> AskAsync(MessageClient client)
    {
        var right = 0;
        for (var number = 0; number < Count; number++)
        {
            var answer = await client.RequestAsync<Question, Answer>(new Question(number), TimeSpan.FromMinutes(1));
            right += answer.Number == number && answer.ProcessId != Environment.ProcessId ? 1 : 0;
        }

        return right;
    }

    /// <summary>Registers what answers the questions.</summary>
    public static void Answer(MessageServer server) => server.OnRequest(static (Question question) => new Answer(question.Number, Environment.ProcessId));
}
