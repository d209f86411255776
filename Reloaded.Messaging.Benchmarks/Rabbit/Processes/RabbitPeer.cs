using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>A separate process of the figures, which follows commands. It ends when its standard input ends, and therefore with the process that started it.</summary>
public sealed class RabbitPeer : IDisposable
{
    /// <summary>The argument with which this program runs as such a process.</summary>
    public const string Verb = "rabbit-peer";

    private const string MemoryCommand = "memory";

    private readonly Process _process;

    private RabbitPeer(Process process) => _process = process;

    /// <summary>Starts a process, and waits until it is connected to the broker.</summary>
    /// <param name="role">The name of a role (see <see cref="RabbitRole"/>).</param>
    /// <param name="port">The port of the broker.</param>
    /// <param name="name">The topic of the events, or the name that requests are sent to.</param>
    public static async Task<RabbitPeer> StartAsync(string role, int port, string name)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet")
            start.ArgumentList.Add(typeof(RabbitPeer).Assembly.Location);
        foreach (var argument in (string[])[Verb, role, port.ToString(CultureInfo.InvariantCulture), name])
            start.ArgumentList.Add(argument);
        var peer = new RabbitPeer(Process.Start(start)!);
        await peer.ReadAsync();
        return peer;
    }

    /// <summary>Runs the role in the other process.</summary>
    /// <param name="arguments">The role, the port and the name.</param>
    public static async Task RunAsync(string[] arguments)
    {
        var factory = new ConnectionFactory { HostName = "127.0.0.1", Port = int.Parse(arguments[1], CultureInfo.InvariantCulture) };
        await using var role = await RabbitRole.StartAsync(arguments[0], factory, arguments[2]);
        Console.WriteLine(0);
        while (await Console.In.ReadLineAsync() is { } line)
        {
            var words = line.Split(' ');
            var result = words[0] == MemoryCommand ? PeerMemory.Read().Text : (await role.RunAsync(words[0], long.Parse(words[1], CultureInfo.InvariantCulture))).ToString(CultureInfo.InvariantCulture);
            Console.WriteLine(result);
        }
    }

    /// <summary>Gives a command, and waits until it is carried out.</summary>
    /// <param name="side">The library or the floor: see <see cref="RabbitRole"/>.</param>
    /// <param name="number">The argument of the command.</param>
    /// <returns>The result of the command.</returns>
    public async Task<long> RunAsync(string side, long number)
    {
        await _process.StandardInput.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{side} {number}"));
        return long.Parse(await ReadAsync(), CultureInfo.InvariantCulture);
    }

    /// <summary>Collects garbage in the process, and returns the memory that it uses afterwards.</summary>
    public async Task<PeerMemory> GetMemoryAsync()
    {
        await _process.StandardInput.WriteLineAsync(MemoryCommand);
        return PeerMemory.Parse(await ReadAsync());
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeSpan.FromSeconds(10)))
            _process.Kill();
        _process.Dispose();
    }

    private async Task<string> ReadAsync() =>
        await _process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException("A process of the figures ended early. Its error is printed above.");
}
