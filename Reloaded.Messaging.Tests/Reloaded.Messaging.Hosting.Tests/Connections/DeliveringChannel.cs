using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Records the delivery of each send.</summary>
internal sealed class DeliveringChannel : TransportChannel
{
    public List<Delivery> Deliveries { get; } = [];

    public override string RemoteName => "nobody";

    public override bool UsesDelivery => true;

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        Deliveries.Add(delivery);
        return default;
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void Abort()
    {
    }

    public override ValueTask DisposeAsync() => default;
}
