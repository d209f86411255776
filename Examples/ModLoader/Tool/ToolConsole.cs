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
public sealed class ToolConsole(MessageClient tool)
{
    private const int MostRows = 6;

    private static readonly MessageWriter s_writer = new();

    private readonly IModLoader _game = tool.GetService<IModLoader>();

    public int Acknowledged { get; private set; }

    public int Faults { get; private set; }

    /// <summary>The number of requests without a reply.</summary>
    public int Failed { get; private set; }

    public async Task RunAsync(string command)
    {
        var watch = Stopwatch.StartNew();
        var (mod, state) = command.Split(' ', 2) switch
        {
            ["load" or "resume", var id] => (id, ModState.Running),
            ["unload", var id] => (id, ModState.Unloaded),
            ["suspend", var id] => (id, ModState.Suspended),
            _ => throw new ArgumentException($"'{command}' is not a command. The commands are: list, load ID, unload ID, suspend ID, resume ID."),
        };
        try
        {
            var before = await _game.SetAsync(mod, state);
            Acknowledged++;
            Print(command, watch.Elapsed, $"{before} -> {state}", Tone.Done);
        }
        catch (RequestFaultException fault)
        {
            Faults++;
            Print(command, watch.Elapsed, $"FAULT {fault.Code}: {fault.Message}", Tone.Fault);
        }
        catch (Exception e) when (e is TimeoutException or RequestFailedException)
        {
            Failed++;
            Print(command, watch.Elapsed, e.Message, Tone.Fault);
        }
    }

    /// <returns>The id of the process that replied.</returns>
    public async Task<int> ListAsync()
    {
        var watch = Stopwatch.StartNew();
        var list = await _game.ListAsync();
        Print("list", watch.Elapsed, $"{list.Mods.Count} mods of process {list.ProcessId}: {Describe(list)}", Tone.Dim);

        var table = new Table("mod", "version", "state", "frames run");
        foreach (var (config, state, frames) in list.Mods.Take(MostRows))
            table.Add(config.ModId, string.IsNullOrEmpty(config.ModVersion) ? "-" : config.ModVersion, $"{state}", $"{frames:N0}");
        if (list.Mods.Count > MostRows)
            table.Add($"and {list.Mods.Count - MostRows} more", "", "", "");
        Console.WriteLine();
        table.Print(null);
        return list.ProcessId;
    }

    private static void Print(string command, TimeSpan time, string result, Tone tone) =>
        Screen.WriteLine($"> {command,-34} {time.TotalMilliseconds,7:N1} ms   {result}", tone, "> ".Length + command.Length);

    /// <summary>Returns the size of the message, which is packed once more for this purpose.</summary>
    private static string Describe(ModList list)
    {
        using var packed = s_writer.Pack(MessageContract.GetDeclared<ModList>(), list);
        MessageHeader.TryRead(packed.Span, out var header, out var size);
        return header.IsCompressed ? $"{header.DecompressedSize:N0} bytes, sent as {packed.Length - size:N0}" : $"{packed.Length - size:N0} bytes";
    }
}
