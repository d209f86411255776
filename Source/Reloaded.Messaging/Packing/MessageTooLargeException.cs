using System;

namespace Reloaded.Messaging.Packing;

/// <summary>A message exceeds a limit, of the writer that packs it or of the transport that would carry it; nothing was sent.</summary>
public sealed class MessageTooLargeException : InvalidOperationException
{
    internal MessageTooLargeException(Type? messageType, long size, int limit, string limitName)
        : base($"{messageType?.ToString() ?? "The message"} takes {size} bytes or more, and {limitName} limit is {limit}. " +
            "Send less at a time, or raise the limit in the MessageLimits of both ends.")
    {
        Size = size;
        Limit = limit;
    }

    /// <param name="size">The message's size, in bytes.</param>
    /// <param name="limit">What carries it takes no more.</param>
    /// <param name="text">Both, and the way out.</param>
    internal MessageTooLargeException(int size, int limit, string text)
        : base(text)
    {
        Size = size;
        Limit = limit;
    }

    /// <summary>The size at which packing stopped, in bytes; the whole message may be larger.</summary>
    public long Size { get; }

    /// <summary>The limit, in bytes.</summary>
    public int Limit { get; }
}
