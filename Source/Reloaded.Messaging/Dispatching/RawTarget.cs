using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A raw handler, of one type or as the fallback.</summary>
internal sealed class RawTarget<T>(MessageDispatcher<T> dispatcher, uint type, RawMessageHandler<T> handler, DispatchStatus status)
    : Target<T>(dispatcher, type, null)
{
    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        handler(in header, payload, ref state);
        return status;
    }
}
