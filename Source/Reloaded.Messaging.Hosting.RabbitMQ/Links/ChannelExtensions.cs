using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Determines the reasons for which channels are closed.</summary>
internal static class ChannelExtensions
{
    /// <summary>The AMQP class "basic".</summary>
    private const ushort Basic = 60;

    /// <summary>The method "publish" of the class "basic".</summary>
    private const ushort Publish = 40;

    /// <summary>Returns whether the broker closed a channel because of a published message. In this case, the connection stays open.</summary>
    public static bool IsClosedByPublication(this IChannel channel) => channel.CloseReason?.IsOfPublication() == true;

    /// <inheritdoc cref="IsClosedByPublication"/>
    public static bool IsOfPublication(this ShutdownEventArgs shutdown) =>
        shutdown is { Initiator: ShutdownInitiator.Peer, ClassId: Basic, MethodId: Publish, ReplyCode: Constants.AccessRefused or Constants.PreconditionFailed or Constants.ContentTooLarge };
}
