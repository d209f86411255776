namespace Reloaded.Messaging;

/// <summary>The result of dispatching a message. Every message has exactly one.</summary>
public enum DispatchStatus
{
    /// <summary>The handler was called and returned.</summary>
    Handled = 0,

    /// <summary>The type has no handler, and the fallback was called.</summary>
    HandledByFallback,

    /// <summary>The type has no handler, and there is no fallback.</summary>
    NoHandler,

    /// <summary>The message is empty, its header is not in the one valid encoding, or it is compressed and the contract has no compressor.</summary>
    Malformed,

    /// <summary>The message exceeds <see cref="MessageLimits.MaxMessageSize"/>, or declares more than <see cref="MessageLimits.MaxDecompressedSize"/>.</summary>
    TooLarge,

    /// <summary>The payload does not decompress to exactly the declared size, or has surplus bytes.</summary>
    CorruptPayload,

    /// <summary>The serializer refused the payload.</summary>
    InvalidPayload,

    /// <summary>The message is a reply, a fault or a control message, which the host handles.</summary>
    NotForHandlers,

    /// <summary>The handler is asynchronous and was not called: use <see cref="MessageDispatcher{T}.DispatchAsync"/>.</summary>
    HandlerIsAsync,
}
