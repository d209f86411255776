using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>The other process of the figures: hosts over shared memory and over a Unix socket, and the bare rings, which spin only while they are measured.</summary>
public sealed class ShmProcess : IDisposable
{
    /// <summary>The program's argument that makes it one.</summary>
    public const string Verb = "shm-server";

    private readonly Process _process;

    private ShmProcess(Process process) => _process = process;

    /// <summary>The time that it has used of all processors.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    public static MessageEndpoint Shared(string name) => MessageEndpoint.SharedMemory(name);

    public static MessageEndpoint Unix(string name) => MessageEndpoint.Local(name + "-unix");

    public static string BarePath(string name) => Path.Combine(Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath(), name + ".bare");

    public static async Task<ShmProcess> StartAsync(string name)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet")
            start.ArgumentList.Add(typeof(ShmProcess).Assembly.Location);
        start.ArgumentList.Add(Verb);
        start.ArgumentList.Add(name);
        var process = Process.Start(start)!;
        await process.StandardOutput.ReadLineAsync();
        return new ShmProcess(process);
    }

    /// <summary>What the other process does.</summary>
    public static async Task RunAsync(string name)
    {
        long handled = 0;
        await using var shared = await MessageHost.ListenAsync(Shared(name), Handle);
        await using var unix = await MessageHost.ListenAsync(Unix(name), Handle);
        using var bare = new BarePair(BarePath(name));
        Console.WriteLine("ready");
        while (await Console.In.ReadLineAsync() is not null)
            await Task.Run(bare.Serve);

        void Handle(MessageServer host)
        {
            host.On(static (in Note note, Peer from) => from.Send(note));
            host.OnRequest(static (in NoteRequest request, Peer _) => request);
            host.On((in CountedNote _, Peer _) => handled++);
            host.OnRequest((in HandledQuery _, Peer _) => new HandledReport(Volatile.Read(ref handled)));
        }
    }

    /// <summary>Has the other process take part in one measurement of the bare rings.</summary>
    public void ServeBare() => _process.StandardInput.WriteLine();

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeSpan.FromSeconds(5)))
            _process.Kill();
        _process.Dispose();
    }
}
