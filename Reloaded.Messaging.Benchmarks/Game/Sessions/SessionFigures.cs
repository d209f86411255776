using System.Globalization;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Group <c>sessions</c>: the time to establish encrypted sessions, their memory, and whether each of them receives each notification.</summary>
public sealed class SessionFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Fewer = 4_000;
    private const int Sessions = 10_000;
    private const int Rounds = 5;
    private const int Notifications = 10;

    private const string Heap = "Two thirds of the bytes are on the managed heap, which misses its target by the same amount.";

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["sessions.4000.rate"] = "Both processors are busy. One key exchange of the framework (ECDH P-256) costs each side 345 to 470 µs, which is more than a third of the time.",
        ["sessions.10000.heap"] = "Of the bytes, the host of the client has two thirds. Tables by the id of a message have 3.7 KiB on both sides, because the notification has the id 76; buffers have 4.4 KiB, and counters 1.4 KiB.",
        ["sessions.10000.resident"] = Heap,
        ["sessions.10000.udp.heap"] = "A session over TCP misses it too. The queues and the recovery of a connection over UDP add 2.4 KiB on each side.",
        ["sessions.10000.udp.resident"] = Heap,
    };

    public override string Method => string.Create(
        CultureInfo.InvariantCulture,
        $"Clients and server are two processes, connected by TCP on the same machine. Each session is encrypted by AES-256-GCM and has a separate key exchange (ECDH P-256). It is established when it has the reply to its subscription. `sessions.{Fewer}` takes turns with the server of TLS 1.3 of the framework (`SslStream`), whose certificate has a key on the same curve, and which resumes no session; {Rounds} rounds after one that does not count, medians. `sessions.{Sessions}` is one run with two new processes, and `sessions.{Sessions}.udp` another one over UDP, with {Notifications} notifications to each session, one per second; `late` is the 99th percentile of their delay, `wrong` counts duplicates and wrong values. Memory and cores are those of both processes together. Resident memory does not contain the socket buffers of the kernel.");

    public override void Measure()
    {
        if (OnlyAllocations)
            return;
        Skipped = DescriptorLimit.WhatToSet(Sessions);
        if (Skipped is not null)
            return;
        CompareWithTlsAsync().GetAwaiter().GetResult();
        LoadAsync().GetAwaiter().GetResult();
    }

    private async Task CompareWithTlsAsync()
    {
        using var run = await SessionRun.StartAsync(Fewer, seconds: 0, SessionKind.Tcp);
        var duel = await PairedRuns.RunAsync(
            async _ => (await run.MeasureTlsAsync()).Rate,
            async _ => (await run.MeasureAsync()).Rate,
            rounds: Rounds,
            warmUps: 1);
        var name = Name(Fewer);
        Report($"{name}.rate", Figure.Sessions, duel.Ours, 1500, isAtLeast: true);
        Report($"{name}.tls.rate", Figure.Sessions, duel.Floor);
        Report($"{name}.tls.ratio", "ratio", duel.Ratios);
        AddPeer("establish an encrypted session over TCP", "SslStream", duel, Figure.Sessions);
    }

    private async Task LoadAsync()
    {
        var name = Name(Sessions);
        Report(name, await SessionClients.MeasureAsync(Sessions, Notifications, SessionKind.Tcp));
        Report($"{name}.udp", await SessionClients.MeasureAsync(Sessions, Notifications, SessionKind.Udp));
        var tls = await SessionClients.MeasureAsync(Sessions, 0, SessionKind.Tls);
        Report($"{name}.tls.heap", "KiB", [tls.HeapKiB]);
        Report($"{name}.tls.resident", "KiB", [tls.ResidentKiB]);
    }

    private void Report(string name, SessionResult ours)
    {
        Report($"{name}.rate", Figure.Sessions, [ours.Rate]);
        Report($"{name}.cores", "cores", [ours.Cores]);
        Report($"{name}.heap", "KiB", [ours.HeapKiB], 24);
        Report($"{name}.resident", "KiB", [ours.ResidentKiB], 40);
        Report($"{name}.delivered", "%", [ours.Delivered], 100, isAtLeast: true);
        Report($"{name}.wrong", "notifications", [ours.Repeated + ours.Wrong], 0);
        Report($"{name}.median", "ms", [ours.Median]);
        Report($"{name}.late", "ms", [ours.Late]);
        Report($"{name}.notify.cores", "cores", [ours.NotifyingCores]);
    }

    private static string Name(int sessions) => string.Create(CultureInfo.InvariantCulture, $"sessions.{sessions}");
}
