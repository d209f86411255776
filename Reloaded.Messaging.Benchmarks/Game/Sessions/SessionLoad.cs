using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading.Tasks;
using Examples;
using Reloaded.Messaging.Benchmarks.Figures;

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

        Console.WriteLine($"{sessions:N0} sessions over TCP, encrypted by AES-256-GCM, each with a separate key exchange (ECDH P-256). Server and clients are in this process, on {Environment.ProcessorCount} cores.");
        await using var run = new SessionRun(sessions, seconds);
        await run.EstablishAsync(established => Show("established", established, sessions));
        await run.WriteAsync(second => Show("seconds of notifications", second, seconds));
        Console.WriteLine();
        return Print(run, sessions, seconds) ? 0 : 1;
    }

    private static bool Print(SessionRun run, int sessions, int seconds)
    {
        var board = run.Board;
        var (marked, incomplete) = board.Check();
        var (share, late) = (100.0 * marked / board.Expected, board.GetMilliseconds());
        var rate = sessions / run.EstablishSeconds;
        var table = new Table("sessions", "established in s", "sessions/s", "cores", "changes", "delivered %", "p50 ms", "p99 ms", "cores", "KB heap per session", "KB resident per session");
        table.Add(
            $"{sessions:N0}",
            $"{run.EstablishSeconds:N2}",
            $"{rate:N0}",
            $"{run.EstablishCores:N2}",
            $"{seconds:N0}",
            $"{share:N3}",
            $"{At(late, 0.5):N1}",
            $"{At(late, 0.99):N1}",
            $"{run.WindowCores:N2}",
            $"{run.HeapBytesEach / 1024:N1}",
            $"{run.ResidentBytesEach / 1024:N1}");
        table.Print("The numbers include client and server of each session.");
        Console.WriteLine($"{marked:N0} of {board.Expected:N0} expected notifications were received. {incomplete:N0} sessions miss a notification. {board.Repeated:N0} notifications were duplicates, and {board.Wrong:N0} were wrong.");
        Console.WriteLine();
        Report("establish", "s", run.EstablishSeconds);
        Report("rate", "sessions/s", rate, 200, isAtLeast: true);
        Report("delivered", "%", share, 100, isAtLeast: true);
        Report("late.p50", "ms", At(late, 0.5));
        Report("late.p99", "ms", At(late, 0.99));
        Report("establish.cpu", "cores", run.EstablishCores);
        Report("window.cpu", "cores", run.WindowCores);
        Report("heap", "B/session", run.HeapBytesEach);
        Report("resident", "B/session", run.ResidentBytesEach);
        return marked == board.Expected && board.Repeated + board.Wrong == 0;

        void Report(string name, string unit, double value, double? reach = null, bool isAtLeast = false) =>
            Console.WriteLine(Figure.Of(string.Create(CultureInfo.InvariantCulture, $"{Verb}.{sessions}.{name}"), unit, [value], reach, isAtLeast));
    }

    private static double At(List<double> sorted, double part) => sorted.Count == 0 ? 0 : sorted[(int)((sorted.Count - 1) * part)];

    private static void Show(string what, int done, int of)
    {
        if (Console.IsOutputRedirected ? done == of : done == of || done % Math.Max(1, of / 100) == 0)
            Console.Write(Console.IsOutputRedirected ? $"{done:N0} {what}.\n" : $"\r{done:N0} of {of:N0} {what}.   {(done == of ? "\n" : "")}");
    }

    private static bool TryParse(string text, out int value) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value > 0;
}
