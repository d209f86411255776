using System;
using System.Globalization;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Reads the endpoints of the command line.</summary>
internal static class TargetText
{
    public const string Description = "A process id with --name, or an endpoint: tcp://host:port, udp://host:port, ws://host:port, wss://host:port, unix:///path, pipe://name, shm://name or process://PID/name.";

    /// <summary>Reads an endpoint, or finds the server of a process.</summary>
    /// <param name="text">The process id or the endpoint.</param>
    /// <param name="name">The name under which the server of a process is published.</param>
    /// <param name="tls">The TLS options, or <c>null</c>.</param>
    /// <exception cref="ToolException">Thrown when the text is invalid.</exception>
    public static MessageEndpoint Parse(string text, string? name, TlsOptions? tls)
    {
        try
        {
            if (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                return MessageEndpoint.Parse(text, tls);
            return name is null
                ? throw new ToolException(ExitCode.Usage, $"A process may have several servers. Name one by --name, for example: reloaded-messaging watch {id} --name game.")
                : MessageEndpoint.OfProcess(id, name, tls: tls);
        }
        catch (Exception e) when (e is FormatException or ArgumentException)
        {
            throw new ToolException(ExitCode.Usage, e.Message.Split('\n').First());
        }
    }
}
