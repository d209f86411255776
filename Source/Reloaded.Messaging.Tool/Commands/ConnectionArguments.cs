using System.CommandLine;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>The arguments of commands that connect to a host, and the connection.</summary>
internal sealed class ConnectionArguments
{
    private readonly Argument<string> _endpoint = new("endpoint") { Description = "A process id with --name, or an endpoint: tcp://host:port, udp://host:port, ws://host:port, wss://host:port, unix:///path, local:name, pipe://name, shm://name or process://PID/name." };
    private readonly Option<string?> _name = new("--name") { Description = "The name under which the server of the process is published." };
    private readonly SecurityArguments _security = new();
    private readonly Option<double> _timeout = new("--timeout") { Description = "The time to wait for a connection or a reply, in seconds.", DefaultValueFactory = static _ => 5 };

    /// <summary>Adds the endpoint as the next argument, and the options.</summary>
    public void AddTo(Command command)
    {
        command.Arguments.Add(_endpoint);
        command.Options.Add(_name);
        _security.AddTo(command);
        command.Options.Add(_timeout);
    }

    public string GetEndpoint(ParseResult result) => result.GetValue(_endpoint)!;

    /// <summary>Returns the time to wait.</summary>
    /// <exception cref="ToolException">Thrown when the option is out of range.</exception>
    public TimeSpan GetTimeout(ParseResult result)
    {
        var seconds = result.GetValue(_timeout);
        NumberOption.Check(_timeout.Name, seconds, seconds is > 0 and <= 86400, "more than 0 and at most 86400 seconds");
        return TimeSpan.FromSeconds(seconds);
    }

    /// <summary>Connects to the endpoint.</summary>
    /// <exception cref="ToolException">Thrown when the arguments are invalid, or when the connection failed.</exception>
    public async Task<MessageClient> ConnectAsync(ParseResult result, Action<MessageClient>? configure, CancellationToken cancellationToken)
    {
        var endpoint = ParseEndpoint(GetEndpoint(result), result.GetValue(_name), _security.GetTls(result));
        var options = new MessageHostOptions
        {
            Token = _security.GetToken(result),
            Protection = _security.GetProtection(result),
            MessageLimits = MessageFormatter.Limits,
        };
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(GetTimeout(result));
        try
        {
            return await MessageHost.ConnectAsync(endpoint, configure, options, limit.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ToolException(ExitCode.NoConnection, string.Create(CultureInfo.InvariantCulture, $"{endpoint} did not accept the connection within {GetTimeout(result).TotalSeconds} s. Is it a server of this library? --timeout waits longer."));
        }
        catch (Exception e) when (e is TransportClosedException or DiscoveryException or HandshakeException or InvalidOperationException or System.Net.Sockets.SocketException)
        {
            throw new ToolException(ExitCode.NoConnection, e.Message + SecurityArguments.Advise(e));
        }
    }

    /// <summary>Reads an endpoint, or finds the server of a process.</summary>
    /// <param name="text">The process id or the endpoint.</param>
    /// <param name="name">The name under which the server of a process is published.</param>
    /// <param name="tls">The TLS options, or <c>null</c>.</param>
    /// <exception cref="ToolException">Thrown when the text is invalid.</exception>
    private static MessageEndpoint ParseEndpoint(string text, string? name, TlsOptions? tls)
    {
        try
        {
            if (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                return MessageEndpoint.Parse(text, tls);
            return name is null
                ? throw new ToolException(ExitCode.Usage, $"A process may have several servers. Name one by --name, for example: reloaded-messaging watch {id} --name game. 'reloaded-messaging list' prints the names.")
                : MessageEndpoint.OfProcess(id, name, tls: tls);
        }
        catch (Exception e) when (e is FormatException or ArgumentException)
        {
            throw new ToolException(ExitCode.Usage, e.Message.Split('\n').First());
        }
    }
}
