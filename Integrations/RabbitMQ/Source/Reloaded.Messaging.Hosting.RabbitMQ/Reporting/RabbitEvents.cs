using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>At-most-once messages that did not arrive. A gap is detected by the number of the next message that arrives.</summary>
/// <param name="Sender">The sender of the messages.</param>
/// <param name="Topic">The topic they were published to.</param>
/// <param name="First">The number of the first missing message.</param>
/// <param name="Missed">The number of missing messages.</param>
public readonly record struct RabbitGap(string Sender, string Topic, ulong First, long Missed);

/// <summary>An at-least-once topic with a queue that stays full, or whose messages the broker does not confirm.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Waiting">The number of its messages that wait in this host.</param>
public readonly record struct StalledTopic(string Topic, int Waiting);

/// <summary>An at-least-once message that the broker refused by closing the channel. The host has dropped the message.</summary>
/// <param name="Topic">The topic that the message was published to.</param>
/// <param name="Number">The number of the message (see <see cref="Origin.Number"/>).</param>
/// <param name="Reason">The reason of the broker, for example missing permissions or a size limit.</param>
public sealed record RefusedPublication(string Topic, ulong Number, string Reason);

/// <summary>Thrown by a flush when the broker refused a message that the flush waited for.</summary>
public sealed class PublicationRefusedException(RefusedPublication publication) : Exception(
    $"The broker refused message {publication.Number} to '{publication.Topic}': {publication.Reason} The message was dropped. Check the permissions of the user and the limits of the broker.")
{
    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>The refused message; the first one if several were refused.</summary>
    public RefusedPublication Publication { get; } = publication;
}

/// <summary>An exception of a handler or an event listener, or the refusal of a delay queue.</summary>
/// <param name="From">The origin of the message; the default value if there was no message.</param>
/// <param name="Type">The type of the message; 0 if no handler threw.</param>
/// <param name="Exception">The exception.</param>
public sealed record RabbitFailure(Origin From, uint Type, Exception Exception);
