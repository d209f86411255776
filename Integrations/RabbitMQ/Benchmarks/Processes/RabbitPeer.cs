using System;
using System.Globalization;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>A separate process of the figures, which follows commands.</summary>
public sealed class RabbitPeer : IDisposable
{
    /// <summary>The argument with which this program runs as such a process.</summary>
    public const string Verb = "rabbit-peer";

    private readonly OtherProcess _process;

    private RabbitPeer(OtherProcess process) => _process = process;

    /// <summary>Starts a process, and waits until it is connected to the broker.</summary>
    /// <param name="role">The name of a role (see <see cref="RabbitRole"/>).</param>
    /// <param name="port">The port of the broker.</param>
    /// <param name="name">The topic of the events, or the name that requests are sent to.</param>
    public static async Task<RabbitPeer> StartAsync(string role, int port, string name)
    {
        var peer = new RabbitPeer(OtherProcess.Start(Verb, role, port.ToString(CultureInfo.InvariantCulture), name));
        await peer._process.ReadAsync();
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
            var result = words[0] == OtherProcess.MemoryCommand ? ProcessMemory.Read().Text : (await role.RunAsync(words[0], long.Parse(words[1], CultureInfo.InvariantCulture))).ToString(CultureInfo.InvariantCulture);
            Console.WriteLine(result);
        }
    }

    /// <summary>Gives a command, and waits until it is carried out.</summary>
    /// <param name="side">The library or the floor: see <see cref="RabbitRole"/>.</param>
    /// <param name="number">The argument of the command.</param>
    /// <returns>The result of the command.</returns>
    public async Task<long> RunAsync(string side, long number) =>
        long.Parse(await _process.AskAsync(string.Create(CultureInfo.InvariantCulture, $"{side} {number}")), CultureInfo.InvariantCulture);

    /// <summary>Collects garbage in the process, and returns the memory that it uses afterwards.</summary>
    public Task<ProcessMemory> GetMemoryAsync() => _process.GetMemoryAsync();

    public void Dispose() => _process.Dispose();
}
