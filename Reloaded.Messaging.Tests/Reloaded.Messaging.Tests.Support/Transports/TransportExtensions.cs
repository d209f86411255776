using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>What tests of channels need of the transports.</summary>
internal static class TransportExtensions
{
    private const int MaxPending = 64 * 1024;

    extension(TransportListener listener)
    {
        /// <summary>Where a client connects to.</summary>
        public MessageEndpoint Endpoint => MessageEndpoint.Over(listener.Address.Transport, listener.Address.Name, listener.Address.Port);
    }

    extension(TransportChannel channel)
    {
        /// <summary>Queues frames with a delivery, and sends them. Completes when all of them are queued.</summary>
        public ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
        {
            var datagrams = (DatagramChannel)channel;
            for (var rest = frames; !rest.IsEmpty;)
            {
                var unread = rest.Span;
                Frame.TryRead(ref unread, int.MaxValue, out var message);
                if (!datagrams.TryQueue(message, delivery, MaxPending))
                    return new ValueTask(channel.SendRestAsync(rest, delivery, cancellationToken));
                rest = rest.Slice(rest.Length - unread.Length);
            }

            datagrams.Flush();
            return default;
        }

        private async Task SendRestAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
        {
            await ((DatagramChannel)channel).FlushAsync().WaitAsync(cancellationToken);
            await channel.SendAsync(frames, delivery, cancellationToken);
        }
    }
}
