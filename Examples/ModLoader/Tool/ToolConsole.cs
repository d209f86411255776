using System;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Examples;
using ModLoader.Messaging;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;

namespace ModLoader.Tool;

/// <summary>Sends commands, which are lines of text, to the game and prints the results.</summary>
public sealed class ToolConsole(ModTool tool)
{
    private const int MostRows = 6;

    private static readonly MessageWriter s_writer = new();

    public int Acknowledged { get; private set; }

    public int Faults { get; private set; }

    /// <summary>The number of requests without a reply.</summary>
    public int Failed { get; private set; }

    public async Task RunAsync(string command)
    {
        var watch = Stopwatch.StartNew();
        var result = command.Split(' ', 2) switch
        {
            ["load", var mod] => await tool.LoadAsync(mod),
            ["unload", var mod] => await tool.UnloadAsync(mod),
            ["suspend", var mod] => await tool.SuspendAsync(mod),
            ["resume", var mod] => await tool.ResumeAsync(mod),
            _ => throw new ArgumentException($"'{command}' is not a command. The commands are: list, load ID, unload ID, suspend ID, resume ID."),
        };
        Acknowledged += result.Status == RequestStatus.Replied ? 1 : 0;
        Faults += result.Status == RequestStatus.Faulted ? 1 : 0;
        Failed += result.Status is RequestStatus.Replied or RequestStatus.Faulted ? 0 : 1;
        Print(command, watch.Elapsed, result switch
        {
            { Status: RequestStatus.Replied, Reply: { } set } => $"{set.Before} -> {set.Now}",
            { Status: RequestStatus.Faulted, Fault: { } fault } => $"FAULT {fault.Code}: {fault.Message}",
            _ => $"{result.Status}",
        });
    }

    /// <returns>The id of the process that replied.</returns>
    public async Task<int> ListAsync()
    {
        var watch = Stopwatch.StartNew();
        var list = await tool.ListAsync();
        Print("list", watch.Elapsed, $"{list.Mods.Count} mods of process {list.ProcessId}: {Describe(list)}");

        var table = new Table("mod", "version", "state", "frames run");
        foreach (var (config, state, frames) in list.Mods.Take(MostRows))
            table.Add(config.ModId, string.IsNullOrEmpty(config.ModVersion) ? "-" : config.ModVersion, $"{state}", $"{frames:N0}");
        if (list.Mods.Count > MostRows)
            table.Add($"and {list.Mods.Count - MostRows} more", "", "", "");
        Console.WriteLine();
        table.Print(null);
        return list.ProcessId;
    }

    private static void Print(string command, TimeSpan time, string result) =>
        Console.WriteLine($"> {command,-34} {time.TotalMilliseconds,7:N1} ms   {result}");

    /// <summary>Returns the size of the message, which is packed once more for this purpose.</summary>
    private static string Describe(ModList list)
    {
        using var packed = s_writer.Pack(MessageContract.GetDeclared<ModList>(), list);
        MessageHeader.TryRead(packed.Span, out var header, out var size);
        return header.IsCompressed ? $"{header.DecompressedSize:N0} bytes, sent as {packed.Length - size:N0}" : $"{packed.Length - size:N0} bytes";
    }
}
