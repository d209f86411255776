using System.Globalization;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>An <see cref="EchoServer"/> in a separate process.</summary>
public sealed class EchoProcess : IDisposable
{
    /// <summary>The argument with which this program runs as an echo server.</summary>
    public const string Verb = "echo-server";

    private readonly OtherProcess _process;

    private EchoProcess(OtherProcess process) => _process = process;

    public int Id => _process.Id;

    /// <inheritdoc cref="OtherProcess.ProcessorTime"/>
    public TimeSpan ProcessorTime => _process.ProcessorTime;

    public Dictionary<string, MessageEndpoint> Endpoints { get; } = [];

    public static async Task<EchoProcess> StartAsync(string folder)
    {
        var echo = new EchoProcess(OtherProcess.Start(Verb, folder));
        while (await echo._process.ReadAsync() is { Length: > 0 } line)
        {
            var parts = line.Split(' ', 4);
            echo.Endpoints[parts[0]] = MessageEndpoint.Over(TransportOf(parts[1]), parts[3], int.Parse(parts[2], CultureInfo.InvariantCulture));
        }

        return echo;
    }

    /// <summary>Runs the server in the other process.</summary>
    public static async Task RunAsync(string folder)
    {
        await using var server = await EchoServer.StartAsync(folder);
        foreach (var (name, endpoint) in server.Endpoints)
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name} {endpoint.Transport.Scheme} {endpoint.Port} {endpoint.Address}"));
        Console.WriteLine();
        await Console.In.ReadToEndAsync();
    }

    private static Transport TransportOf(string scheme) => scheme switch
    {
        "unix" => UnixSocketTransport.Instance,
        "pipe" => NamedPipeTransport.Default,
        _ => TcpTransport.Plain,
    };

    public void Dispose() => _process.Dispose();
}
