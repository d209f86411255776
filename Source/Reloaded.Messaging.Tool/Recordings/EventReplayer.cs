using System.Diagnostics;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;
using Spectre.Console.Rendering;

namespace Reloaded.Messaging.Tool;

/// <summary>Sends the events of a recording at their times.</summary>
/// <param name="server">The receiver.</param>
/// <param name="speed">The factor of the recorded speed; 0 sends without waiting.</param>
internal sealed class EventReplayer(Peer server, double speed)
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private int _count;
    private long _next; // the time of the event that is sent next, in ticks

    /// <summary>The number of events that were sent.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Sends events.</summary>
    /// <exception cref="ToolException">Thrown when an event cannot be sent. Those before were sent.</exception>
    public async Task SendAsync(IEnumerable<RecordedMessage> messages, CancellationToken cancellationToken)
    {
        foreach (var message in messages)
        {
            Volatile.Write(ref _next, message.Time.Ticks);
            if (speed != 0 && (message.Time / speed) - Stopwatch.GetElapsedTime(_start) is { Ticks: > 0 } delay)
                await Task.Delay(delay, cancellationToken);
            await SendAsync(message, cancellationToken);
            Volatile.Write(ref _count, _count + 1);
        }
    }

    /// <summary>Draws the time line of the recording, with the sent part in color.</summary>
    /// <param name="timeline">The events of the recording.</param>
    /// <param name="isUnicode">Whether the terminal knows more than ASCII.</param>
    public IRenderable Draw(Timeline timeline, bool isUnicode)
    {
        var (count, next) = (Count, new TimeSpan(Volatile.Read(ref _next)));
        var due = speed == 0 ? next : Stopwatch.GetElapsedTime(_start) * speed;
        var position = count == timeline.Count ? timeline.End : due < next ? due : next;
        return timeline.Draw(position, FormattableString.Invariant($"{Timeline.Format(position)} at speed {speed}, {count} of {ToolConsole.Count(timeline.Count, "event")}"), isUnicode);
    }

    /// <summary>Sends a message. Waits while the outbox is full.</summary>
    private async Task SendAsync(RecordedMessage message, CancellationToken cancellationToken)
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
