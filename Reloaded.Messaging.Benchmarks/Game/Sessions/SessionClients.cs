using System.Globalization;
using System.Text.Json;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>The clients of the sessions in a new process, whose memory does not contain what other measurements left.</summary>
public static class SessionClients
{
    /// <summary>The argument with which this program runs as such a process.</summary>
    public const string Verb = "session-clients";

    /// <summary>Measures sessions with two new processes.</summary>
    /// <param name="sessions">The number of sessions.</param>
    /// <param name="seconds">The number of notifications to each session.</param>
    /// <param name="kind">The kind of the sessions. Those of TLS alone receive no notifications.</param>
    public static async Task<SessionResult> MeasureAsync(int sessions, int seconds, SessionKind kind)
    {
        using var clients = OtherProcess.Start(Verb, kind.ToString(), Text(sessions), Text(seconds));
        return JsonSerializer.Deserialize<SessionResult>(await clients.ReadAsync())!;
    }

    /// <summary>Runs in the new process.</summary>
    public static async Task RunAsync(string[] arguments)
    {
        var (sessions, seconds) = (int.Parse(arguments[1], CultureInfo.InvariantCulture), int.Parse(arguments[2], CultureInfo.InvariantCulture));
        var kind = Enum.Parse<SessionKind>(arguments[0]);
        using var run = await SessionRun.StartAsync(sessions, seconds, kind);
        Console.WriteLine(JsonSerializer.Serialize(kind == SessionKind.Tls ? await run.MeasureTlsAsync() : await run.MeasureAsync()));
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
