using System.Globalization;
using Examples;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary><c>sessions N [SECONDS]</c>: measures the time to establish N encrypted sessions and their cost, and checks that each session receives its notifications.</summary>
public static class SessionLoad
{
    public const string Verb = "sessions";

    private const int DefaultSeconds = 60;

    public static async Task<int> RunAsync(string[] args)
    {
        if (args.Length is < 1 or > 2 || !TryParse(args[0], out var sessions) || !TryParse(args.Length > 1 ? args[1] : $"{DefaultSeconds}", out var seconds))
        {
            Console.Error.WriteLine($"Usage: {Verb} N [SECONDS], for example: {Verb} 4000 {DefaultSeconds}");
            return 2;
        }

        if (DescriptorLimit.WhatToSet(sessions) is { } advice)
        {
            Console.Error.WriteLine(advice);
            return 2;
        }

        Console.WriteLine($"{sessions:N0} sessions over TCP, encrypted by AES-256-GCM, each with a separate key exchange (ECDH P-256). Server and clients are two processes, on {Environment.ProcessorCount} cores.");
        using var run = await SessionRun.StartAsync(sessions, seconds, SessionKind.Tcp);
        var result = await run.MeasureAsync(
            established => Show("established", established, sessions),
            second => Show("seconds of notifications", second, seconds));
        Console.WriteLine();
        var table = new Table("sessions", "established in s", "sessions/s", "cores", "changes", "delivered %", "p50 ms", "p99 ms", "cores", "KiB heap per session", "KiB resident per session");
        table.Add(
            $"{sessions:N0}",
            $"{result.Seconds:N2}",
            $"{result.Rate:N0}",
            $"{result.Cores:N2}",
            $"{seconds:N0}",
            $"{result.Delivered:N3}",
            $"{result.Median:N1}",
            $"{result.Late:N1}",
            $"{result.NotifyingCores:N2}",
            $"{result.HeapKiB:N1}",
            $"{result.ResidentKiB:N1}");
        table.Print("The numbers include client and server of each session.");
        Console.WriteLine($"{result.Received:N0} of {result.Expected:N0} expected notifications were received. {result.Incomplete:N0} sessions miss a notification. {result.Repeated:N0} notifications were duplicates, and {result.Wrong:N0} were wrong.");
        return result.IsComplete ? 0 : 1;
    }

    private static void Show(string what, int done, int of)
    {
        if (Console.IsOutputRedirected ? done == of : done == of || done % Math.Max(1, of / 100) == 0)
            Console.Write(Console.IsOutputRedirected ? $"{done:N0} {what}.\n" : $"\r{done:N0} of {of:N0} {what}.   {(done == of ? "\n" : "")}");
    }

    private static bool TryParse(string text, out int value) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value > 0;
}
