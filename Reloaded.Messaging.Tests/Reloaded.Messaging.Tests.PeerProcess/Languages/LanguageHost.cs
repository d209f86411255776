using System;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Languages;

/// <summary>Servers for the tests of clients in other languages: over TCP or WebSocket, with a token or without.</summary>
internal static class LanguageHost
{
    public const string Verb = "languages";

    /// <summary>The same at a WebSocket endpoint. Pages of <c>http://allowed.example</c> may connect.</summary>
    public const string WebSocketVerb = "languages-websocket";

    /// <summary>Runs until the input ends. Writes <c>ready</c> and the port.</summary>
    /// <param name="verb"><see cref="Verb"/> or <see cref="WebSocketVerb"/>.</param>
    /// <param name="token">The token in hexadecimal, or <c>none</c>.</param>
    /// <param name="port">The port; 0 for any.</param>
    public static async Task RunAsync(string verb, string token, string port)
    {
        var options = new MessageHostOptions { Token = token == "none" ? default : Convert.FromHexString(token) };
        var number = int.Parse(port, CultureInfo.InvariantCulture);
        var endpoint = verb == WebSocketVerb
            ? MessageEndpoint.WebSocket(number, new WebSocketEndpointOptions { RequireToken = false, AllowedOrigins = ["http://allowed.example"] })
            : MessageEndpoint.Tcp(number);
        await using var server = await MessageHost.ListenAsync(endpoint, Register, options);
        Console.WriteLine($"ready {server.Endpoint.Port}");
        await Console.In.ReadToEndAsync();
    }

    private static void Register(MessageHost server)
    {
        server.On(static (in Shout shout, Peer from) =>
        {
            for (var i = 0; i < shout.Times; i++)
                _ = from.Send(shout);
        });
        server.OnRequest(static (Sum sum) => new Total(sum.Numbers.Sum(), sum.Numbers.Count == 0 ? null : (decimal)sum.Numbers.Sum() / sum.Numbers.Count, DateTimeOffset.UnixEpoch));
        server.OnRequest<AskBack, Answer>(static async (ask, from, token) => await from.RequestAsync<Question, Answer>(new Question(ask.Number), cancellationToken: token));
        server.OnRequest(Answer (Fail fail) => throw (fail.Code == 0 ? new InvalidOperationException(fail.Text) : new RequestFaultException(fail.Code, fail.Text)));
        server.OnRequest(static (Repeat repeat) => new Lines([.. Enumerable.Repeat(repeat.Text, repeat.Count)]));
        server.OnRequest(static (Answer _) => { }); // acknowledged
        server.On(static async (Leave leave, Peer from) => await from.KickAsync(leave.Reason));
        server.OnRequest<Wait, Answer>(static async (_, _, token) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
            return default;
        });
    }
}
