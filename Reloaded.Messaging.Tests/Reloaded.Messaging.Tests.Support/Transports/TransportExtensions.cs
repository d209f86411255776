using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>What tests of channels need of the transports.</summary>
internal static class TransportExtensions
{
    extension(TransportListener listener)
    {
        /// <summary>Where a client connects to.</summary>
        public MessageEndpoint Endpoint => MessageEndpoint.Over(listener.Address.Transport, listener.Address.Name, listener.Address.Port);
    }

    extension(TransportChannel channel)
    {
        /// <summary>Sends frames with a delivery over a datagram channel.</summary>
        public ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken) => ((DatagramChannel)channel).SendAsync(frames, delivery, cancellationToken);
    }
}
