namespace Reloaded.Messaging;

/// <summary>Thrown when a message exceeds a limit of the writer that packs it or of the transport that would send it. Nothing was sent.</summary>
public sealed class MessageTooLargeException : InvalidOperationException
{
    private readonly string? _unnamed;

    internal MessageTooLargeException(Type? messageType, long size, int limit, string limitName)
        : base($"{messageType?.ToString() ?? "The message"} takes {size} bytes or more, and the limit {limitName} is {limit}. " +
            (limit == ushort.MaxValue ? "Send less at a time; a length prefix of two bytes allows no more. Without one," : "Send less at a time, or") +
            " raise the limit in the MessageLimits of both ends.")
    {
        Size = size;
        Limit = limit;
        _unnamed = messageType is null ? limitName : null;
    }

    /// <summary>Creates an exception for a limit outside of the core: of a transport, or of the remote side.</summary>
    /// <param name="message">The text: the size, the limit, and what to do.</param>
    /// <param name="size">The message's size in bytes.</param>
    /// <param name="limit">The limit in bytes.</param>
    public MessageTooLargeException(string message, long size, int limit)
        : base(message)
    {
        Size = size;
        Limit = limit;
    }

    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>Whether a buffer reported the size, without the type of the message.</summary>
    internal bool IsUnnamed => _unnamed is not null;

    /// <summary>The size at which packing stopped, in bytes; the whole message may be larger.</summary>
    public long Size { get; }

    /// <summary>The limit, in bytes.</summary>
    public int Limit { get; }

    /// <returns>The same exception with the type of the message and the name of the limit.</returns>
    internal MessageTooLargeException Of(Type? messageType, string? limitName) => new(messageType, Size, Limit, limitName ?? _unnamed!);
}
