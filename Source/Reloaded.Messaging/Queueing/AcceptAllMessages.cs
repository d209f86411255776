using System;

namespace Reloaded.Messaging;

/// <summary>A filter that accepts all messages. The JIT compiler removes its calls.</summary>
internal readonly struct AcceptAllMessages<TSender> : IMessageFilter<TSender>
{
    public bool Takes(ReadOnlySpan<byte> message, TSender sender) => true;
}
