using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Records the delivery of each send.</summary>
internal sealed class DeliveringChannel : DatagramChannel
{
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public List<Delivery> Deliveries { get; } = [];

    public override string RemoteName => "nobody";

    public override bool SendsStreamsConcurrently => IsConcurrent;

    public bool IsConcurrent { get; init; }

    /// <summary>The delivery whose sends wait for <see cref="Release"/>.</summary>
    public Delivery? Held { get; init; }

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        lock (Deliveries)
            Deliveries.Add(delivery);
        return delivery == Held ? new ValueTask(_released.Task) : default;
    }

    public void Release() => _released.SetResult();

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void Abort()
    {
    }

    public override ValueTask DisposeAsync() => default;
}
