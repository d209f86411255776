using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;

namespace Examples.Broker;

/// <summary>A temporary RabbitMQ broker. It listens on free loopback ports and stores its data in a temporary folder. Disposing it removes all of its files.</summary>
/// <remarks>
/// Runs the installed server directly as the current user, without the wrapper that changes to the user <c>rabbitmq</c>. For this reason the
/// folder need not be writable for other users, and the current user can end the server. The port mapper (epmd) is a child process with its own port.
/// </remarks>
public sealed class LocalBroker : IAsyncDisposable
{
    private const string Programs = "/usr/lib/rabbitmq/bin";
    private static readonly TimeSpan s_startTime = TimeSpan.FromSeconds(120);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("broker");
    private readonly Dictionary<string, string> _environment;
    private readonly Process? _portMapper;
    private readonly string _mapperPort;
    private readonly int _distributionPort;
    private Process? _broker;

    private LocalBroker(LocalBroker? first)
    {
        int[] ports = FreePorts(3);
        (Port, _distributionPort) = (ports[0], ports[2]);
        NodeName = $"local{Port}@localhost";
        _mapperPort = first?._mapperPort ?? $"{ports[1]}";
        var configuration = Path.Combine(_folder.FullName, "none");
        if (first is not null)
        {
            configuration = Path.Combine(_folder.FullName, "cluster.conf");
            File.WriteAllText(configuration, $"""
                cluster_formation.peer_discovery_backend = classic_config
                cluster_formation.classic_config.nodes.1 = {first.NodeName}
                cluster_formation.classic_config.nodes.2 = {NodeName}

                """);
        }

        _environment = new Dictionary<string, string>
        {
            ["HOME"] = (first ?? this)._folder.FullName, // has the secret of the cluster
            ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
            ["ERL_EPMD_PORT"] = _mapperPort,
            ["RABBITMQ_NODENAME"] = NodeName,
            ["RABBITMQ_NODE_IP_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODE_PORT"] = $"{Port}",
            ["RABBITMQ_DIST_PORT"] = $"{_distributionPort}",
            // Only this machine connects, and idle schedulers do not spin. A dead letter that meets a queue without a leader is moved again after 5 s, not after 3 minutes.
            ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none -rabbit dead_letter_worker_publisher_confirm_timeout 5000",
            ["RABBITMQ_MNESIA_BASE"] = Path.Combine(_folder.FullName, "data"),
            ["RABBITMQ_LOG_BASE"] = Path.Combine(_folder.FullName, "log"),
            ["RABBITMQ_PID_FILE"] = Path.Combine(_folder.FullName, "pid"),
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = Path.Combine(_folder.FullName, "plugins"),
            ["RABBITMQ_CONFIG_FILE"] = configuration,
            ["RABBITMQ_CONF_ENV_FILE"] = Path.Combine(_folder.FullName, "none-env"),
        };
        _portMapper = first is null ? Start("epmd", ["-address", "127.0.0.1", "-port", _mapperPort]) : null;
    }

    /// <summary>The reason why no broker can run on this machine, and the remedy, in one line; <c>null</c> if the server is installed.</summary>
    public static string? Missing { get; } = File.Exists(Path.Combine(Programs, "rabbitmq-server"))
        ? null
        : "RabbitMQ's server is not installed. On Debian: apt-get install rabbitmq-server.";

    /// <summary>The port at 127.0.0.1. User and password are RabbitMQ's defaults for local use (guest).</summary>
    public int Port { get; }

    /// <summary>The name of the node in its cluster.</summary>
    public string NodeName { get; }

    /// <summary>Starts a broker, which takes several seconds.</summary>
    /// <param name="first">A running broker whose cluster the broker joins; <c>null</c> for a single broker. The first broker must be disposed last.</param>
    public static async Task<LocalBroker> StartAsync(LocalBroker? first = null)
    {
        if (Missing is not null)
            throw new InvalidOperationException(Missing);
        var broker = new LocalBroker(first);
        try
        {
            await broker.StartAgainAsync();
            return broker;
        }
        catch
        {
            await broker.DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts the broker again after <see cref="KillAsync"/>, with all stored data.</summary>
    public async Task StartAgainAsync()
    {
        _broker = Start(Path.Combine(Programs, "rabbitmq-server"), []);
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var said = new List<string>();
        _broker.OutputDataReceived += (_, line) =>
        {
            lock (said)
                said.Add(line.Data ?? "(It ended.)");
            if (line.Data is null)
                started.TrySetException(new InvalidOperationException($"The broker did not start:\n{string.Join('\n', said)}"));
            else if (line.Data.Contains("completed with", StringComparison.Ordinal))
                started.TrySetResult();
        };
        _broker.BeginOutputReadLine();
        _broker.ErrorDataReceived += (_, line) =>
        {
            lock (said)
                said.Add(line.Data ?? "");
        };
        _broker.BeginErrorReadLine();
        await started.Task.WaitAsync(s_startTime);
    }

    /// <summary>Waits until the broker has written every queue that it announced to disk.</summary>
    /// <remarks>
    /// RabbitMQ 3.10 writes the existence of a quorum queue to disk up to 3 s after its reply, unlike the messages of the queue. If the broker is
    /// killed earlier, it restarts with an empty queue of that name, which never elects a leader and refuses every consumer.
    /// </remarks>
    public async Task WriteAsync() => await EvaluateAsync("[ok = dets:sync(Table) || Table <- dets:all()]");

    /// <summary>Kills the broker, as a power failure would.</summary>
    public async Task KillAsync()
    {
        if (_broker is null)
            return;
        _broker.Kill(entireProcessTree: true);
        await _broker.WaitForExitAsync();
        _broker.Dispose();
        _broker = null;
    }

    /// <summary>Evaluates an Erlang expression in the broker. This takes a few milliseconds; <c>rabbitmqctl</c> would start a virtual machine for each command.</summary>
    /// <param name="expression">The expression, without a final dot. Several expressions are separated by commas.</param>
    /// <returns>The value of the last expression, as Erlang prints it, in one line.</returns>
    public async Task<string> EvaluateAsync(string expression)
    {
        const string Success = "{ok, \"";
        using var call = Start("erl_call", ["-r", "-address", $"localhost:{_distributionPort}", "-e"]);
        await call.StandardInput.WriteAsync($"lists:flatten(io_lib:format(\"~0p\", [begin {expression} end])).\n");
        call.StandardInput.Close();
        var errors = call.StandardError.ReadToEndAsync();
        var output = await call.StandardOutput.ReadToEndAsync();
        await call.WaitForExitAsync();
        return output.StartsWith(Success, StringComparison.Ordinal)
            ? output.Substring(Success.Length, output.Length - Success.Length - 2)
            : throw new InvalidOperationException($"The broker did not evaluate '{expression}': {output}{await errors}");
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        if (_portMapper is not null)
        {
            _portMapper.Kill();
            await _portMapper.WaitForExitAsync();
            _portMapper.Dispose();
        }

        _folder.Delete(recursive: true);
    }

    private Process Start(string program, string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (var (name, value) in _environment)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }

    private static int[] FreePorts(int count)
    {
        var listeners = Array.ConvertAll(new int[count], static _ => new TcpListener(IPAddress.Loopback, 0));
        Array.ForEach(listeners, static listener => listener.Start());
        var ports = Array.ConvertAll(listeners, static listener => ((IPEndPoint)listener.LocalEndpoint).Port);
        Array.ForEach(listeners, static listener => listener.Stop());
        return ports;
    }
}
