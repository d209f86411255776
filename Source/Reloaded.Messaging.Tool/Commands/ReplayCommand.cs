using System;
using System.CommandLine;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Sends the events of a recording.</summary>
internal static class ReplayCommand
{
    public static Command Create(ToolConsole console)
    {
        var connection = new ConnectionArguments();
        var file = new Argument<string>("file") { Description = "The recording." };
        var speed = new Option<double>("--speed") { Description = "The factor of the recorded speed; 0 sends without waiting.", DefaultValueFactory = static _ => 1 };
        var command = new Command("replay", "Sends the events of a recording to a host, with the recorded delays.") { file };
        connection.AddTo(command);
        command.Options.Add(speed);
        command.SetAction((result, cancellationToken) => RunAsync(console, connection, result, result.GetValue(file)!, result.GetValue(speed), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, ConnectionArguments connection, ParseResult result, string file, double speed, CancellationToken cancellationToken)
    {
        if (speed is not (0 or >= 0.001 and <= 1000))
            throw new ToolException(ExitCode.Usage, FormattableString.Invariant($"--speed is {speed}; it must be 0, or from 0.001 to 1000."));
        using var reader = new StreamReader(file);
        await using var client = await connection.ConnectAsync(result, null, cancellationToken);
        var start = Stopwatch.GetTimestamp();
        var sent = 0;
        foreach (var message in Recording.Read(reader))
        {
            if (speed != 0 && (message.Time / speed) - Stopwatch.GetElapsedTime(start) is { Ticks: > 0 } delay)
                await Task.Delay(delay, cancellationToken);
            await SendAsync(client.Server, message, cancellationToken);
            sent++;
        }

        await client.Server.FlushAsync().WaitAsync(connection.GetTimeout(result), cancellationToken);
        console.Output.WriteLine(FormattableString.Invariant($"replayed {ToolConsole.Count(sent, "event")} of {file}"));
        return ExitCode.Success;
    }

    /// <summary>Sends a message. Waits while the outbox is full.</summary>
    private static async Task SendAsync(Peer server, RecordedMessage message, CancellationToken cancellationToken)
    {
        if (MessageHeader.TryRead(message.Bytes, out var header, out _) != HeaderStatus.Ok || header.Kind != MessageKind.Event)
            throw ToolException.Invalid(FormattableString.Invariant($"The recording contains a message at {message.Time.TotalSeconds:F6} s that is not an event. Record again."));
        using var packed = new MessageWriter(new MessageLimits { MaxMessageSize = Math.Max(MessageLimits.MinLimit, message.Bytes.Length) }).PackCopy(message.Bytes);
        SendStatus status;
        try
        {
            while ((status = server.Send(packed)) == SendStatus.Full)
                await server.FlushAsync().WaitAsync(cancellationToken);
        }
        catch (MessageTooLargeException e)
        {
            throw new ToolException(ExitCode.NotDelivered, e.Message);
        }

        if (status != SendStatus.Sent)
            throw new ToolException(ExitCode.NotDelivered, FormattableString.Invariant($"The event of type {header.Type} at {message.Time.TotalSeconds:F6} s was not sent: {status}. docs/errors.md explains the statuses."));
    }
}
