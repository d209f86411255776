using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A handler of bytes: for one type, or for all that have none.</summary>
internal sealed class RawTarget<T>(MessageDispatcher<T> dispatcher, uint type, RawMessageHandler<T> handler, DispatchStatus status)
    : Target<T>(dispatcher, type, null)
{
    public override DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state)
    {
        handler(in header, payload, ref state);
        return status;
    }
}
