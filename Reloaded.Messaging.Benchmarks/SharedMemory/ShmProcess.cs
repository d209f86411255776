using System.IO;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>The other process of the figures: hosts over shared memory and over a Unix socket, and the bare rings, which spin only while they are measured.</summary>
public sealed class ShmProcess : IDisposable
{
    /// <summary>The program's argument that makes it one.</summary>
    public const string Verb = "shm-server";

    private readonly OtherProcess _process;

    private ShmProcess(OtherProcess process) => _process = process;

    /// <summary>The time that it has used of all processors.</summary>
    public TimeSpan ProcessorTime => _process.ProcessorTime;

    public static MessageEndpoint Shared(string name) => MessageEndpoint.SharedMemory(name);

    public static MessageEndpoint Unix(string name) => MessageEndpoint.Local(name + "-unix");

    public static string BarePath(string name) => Path.Combine(Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath(), name + ".bare");

    public static async Task<ShmProcess> StartAsync(string name)
    {
        var shm = new ShmProcess(OtherProcess.Start(Verb, name));
        await shm._process.ReadAsync();
        return shm;
    }

    /// <summary>Runs in the other process.</summary>
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
            _ = host.On(static (in Note note, Peer from) => _ = from.Send(note));
            _ = host.OnRequest(static (in NoteRequest request, Peer _) => request);
            _ = host.On((in CountedNote _, Peer _) => handled++);
            _ = host.OnRequest((in HandledQuery _, Peer _) => new HandledReport(Volatile.Read(ref handled)));
        }
    }

    /// <summary>Has the other process take part in one measurement of the bare rings.</summary>
    public void ServeBare() => _process.Write();

    public void Dispose() => _process.Dispose();
}
