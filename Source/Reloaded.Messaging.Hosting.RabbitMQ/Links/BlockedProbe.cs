using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Determines whether the broker accepts messages. A broker reports to a connection that it is blocked only after the connection has published.</summary>
internal static class BlockedProbe
{
    /// <summary>Publishes an empty message that goes to no queue, and waits until the broker confirms the message or reports that it is blocked.</summary>
    /// <remarks>A refusal or a lost connection also ends the wait. The probe does not report either of them.</remarks>
    public static async Task RunAsync(IConnection connection, TopologyNames names, CancellationToken cancellationToken)
    {
        var answered = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var channel = await connection.CreateChannelAsync(new CreateChannelOptions(true, publisherConfirmationTrackingEnabled: false), cancellationToken).ConfigureAwait(false);
        channel.BasicAcksAsync += (_, _) => Answer(true);
        channel.BasicNacksAsync += (_, _) => Answer(true);
        channel.ChannelShutdownAsync += (_, _) => Answer(false);
        connection.ConnectionBlockedAsync += (_, _) => Answer(false);
        await channel.BasicPublishAsync(names.Requests, routingKey: "", mandatory: false, new BasicProperties(), ReadOnlyMemory<byte>.Empty, cancellationToken).ConfigureAwait(false);
        if (await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false))
            await channel.CloseAsync(cancellationToken).ConfigureAwait(false); // otherwise the channel ends with its connection

        Task Answer(bool isOpen)
        {
            answered.TrySetResult(isOpen);
            return Task.CompletedTask;
        }
    }
}
