using System;

namespace Reloaded.Messaging;

/// <summary>No filter at all: compiled away.</summary>
internal readonly struct AcceptAllMessages<TSender> : IMessageFilter<TSender>
{
    public bool Takes(ReadOnlySpan<byte> message, TSender sender) => true;
}
