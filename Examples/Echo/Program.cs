using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using Echo;
using Examples;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

// One command runs a server and a client in two processes. This process starts the server, sends requests as fast as possible in several ways, and prints a summary.
switch (args)
{
    case ["server", var where]:
        await Server.RunAsync(where == "tcp" ? MessageEndpoint.Tcp(0) : MessageEndpoint.Unix(where));
        return 0;
    case [] or ["tcp"] or ["unix"]:
        break;
    default:
        Console.Error.WriteLine("Usage: Echo [tcp|unix]");
        return 2;
}

var folder = Directory.CreateTempSubdirectory("echo");
try
{
    var address = args is ["tcp"] || OperatingSystem.IsWindows() ? "tcp" : Path.Combine(folder.FullName, "echo.sock");
    var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
    if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        start.ArgumentList.Add(Assembly.GetExecutingAssembly().Location);
    start.ArgumentList.Add("server");
    start.ArgumentList.Add(address);
    using var process = Process.Start(start)!;
    var port = int.Parse(await process.StandardOutput.ReadLineAsync() ?? "0", System.Globalization.CultureInfo.InvariantCulture);
    var endpoint = address == "tcp" ? MessageEndpoint.Tcp(port) : MessageEndpoint.Unix(address);
    Console.WriteLine($"Server in process {process.Id}, client in process {Environment.ProcessId}, over {(address == "tcp" ? "Tcp" : "Unix")}.");
    Console.WriteLine();

    var runs = new List<Run>
    {
        new("1 in flight", endpoint, 1, 1),
        new("64 in flight", endpoint, 1, 64),
        new("2 x 64 in flight", endpoint, 2, 64),
        new("16 x 1 in flight", endpoint, 16, 1),
    };
    foreach (var run in runs)
        await run.MeasureAsync(TimeSpan.FromSeconds(1), part => ProgressBar.Show(run.Name, part));

    var table = new Table("requests", "replies/s", "p50 us", "p99 us", "p99.9 us", "bytes each");
    long total = 0;
    foreach (var run in runs)
    {
        table.Add(run.Name, $"{run.PerSecond:N0}", run.Percentile(0.5), run.Percentile(0.99), run.Percentile(0.999), $"{run.BytesEach:N1}");
        total += run.Answered;
    }

    Console.WriteLine();
    table.Print("Round trips over 1, 2 or 16 connections, and the bytes that both processes allocated for each request, with the first one");
    var counted = runs[^1].Server!.Answered;
    Screen.WriteLine($"The client received {total:N0} replies, and the server sent {counted:N0}: {(counted == total ? "no reply was lost" : "REPLIES WERE LOST")}.", counted == total ? Tone.Done : Tone.Fault);
    Console.WriteLine("Next: docs/transports.md, or dotnet run -c Release --project Examples/FileTransfer");
    process.StandardInput.Close();
    await process.WaitForExitAsync();
    return counted == total ? process.ExitCode : 1;
}
finally
{
    folder.Delete(recursive: true);
}
