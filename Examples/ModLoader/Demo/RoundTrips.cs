using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Demo;

/// <summary>Measures requests from the tool to the game that wait for no frame: a second server in the game replies on the thread that receives.</summary>
public static class RoundTrips
{
    private const int Warm = 100;

    private static readonly MessageContract<long> s_question = new(100, new BlittableSerializer<long>());
    private static readonly MessageContract<long> s_answer = new(101, new BlittableSerializer<long>());

    /// <summary>Starts the server in the game.</summary>
    public static Task<MessageServer> ListenAsync(string name) => MessageHost.ListenAsync(
        MessageEndpoint.OfProcess(Environment.ProcessId, NameOf(name)),
        static server => server.OnRequest(s_question, s_answer, static (in long question, Peer _) => question));

    /// <returns>The time of the first request, and the median of a hundred further ones.</returns>
    public static async Task<(TimeSpan First, TimeSpan Median)> MeasureAsync(int processId, string name)
    {
        await using var tool = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(processId, NameOf(name)));
        var times = new TimeSpan[1 + Warm];
        for (var i = 0; i < times.Length; i++)
        {
            var begun = Stopwatch.GetTimestamp();
            await tool.Server.RequestAsync(s_question, s_answer, (long)i);
            times[i] = Stopwatch.GetElapsedTime(begun);
        }

        var first = times[0];
        Array.Sort(times, 1, Warm);
        return (first, times[1 + (Warm / 2)]);
    }

    private static string NameOf(string name) => name + ".round-trips";
}
