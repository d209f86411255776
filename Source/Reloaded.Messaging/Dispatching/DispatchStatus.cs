namespace Reloaded.Messaging;

/// <summary>What became of a message. Every message gets exactly one.</summary>
public enum DispatchStatus
{
    /// <summary>Its handler was called and returned.</summary>
    Handled = 0,

    /// <summary>No handler is registered for its type, and the fallback was called.</summary>
    HandledByFallback,

    /// <summary>No handler is registered for its type, and there is no fallback.</summary>
    NoHandler,

    /// <summary>Empty, or not a header in its one valid encoding, or compressed where the type's contract has no compressor.</summary>
    Malformed,

    /// <summary>Larger than <see cref="MessageLimits.MaxMessageSize"/>, or declared larger than <see cref="MessageLimits.MaxDecompressedSize"/>.</summary>
    TooLarge,

    /// <summary>Compressed bytes that do not decompress to exactly the declared size, or with bytes left over.</summary>
    CorruptPayload,

    /// <summary>A payload that its contract's serializer refused.</summary>
    InvalidPayload,

    /// <summary>A reply, fault or control message: its host's to deal with, never a handler's.</summary>
    NotForHandlers,

    /// <summary>Its handler is asynchronous and was not called: use <see cref="MessageDispatcher{T}.DispatchAsync"/>.</summary>
    HandlerIsAsync,
}
