using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>A request that notes how, and how often, it ended.</summary>
internal sealed class CountedRequest : PendingRequest
{
    private int _ends;

    public int Ends => Volatile.Read(ref _ends);

    public RequestStatus? Status { get; private set; }

    public override void End(in MessageHeader header, ReadOnlySpan<byte> payload) => End(RequestStatus.Replied);

    public override void End(RequestStatus status, string? reason = null)
    {
        Status = status;
        Interlocked.Increment(ref _ends);
    }

    internal override void SetReply(in MessageHeader header, ReadOnlySpan<byte> payload) => throw new NotSupportedException();

    internal override void Complete() => throw new NotSupportedException();
}
