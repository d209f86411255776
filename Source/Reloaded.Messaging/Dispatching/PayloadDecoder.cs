using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Turns received payloads into messages: decompresses a payload if its header says so, and deserializes it.</summary>
/// <remarks>
/// Thread-safe. Dispatchers decode the messages of their handlers. Use a decoder for messages that no handler gets, such as replies.
/// Create one for each contract and keep it.
/// </remarks>
/// <typeparam name="TMessage">The message's type.</typeparam>
public sealed class PayloadDecoder<TMessage>
{
    private readonly MessageContract<TMessage> _contract;
    private readonly MessageLimits _limits;
    private readonly IPooledMessageSerializer<TMessage>? _pooled;
    private readonly DeserializeCall<TMessage> _deserialize; // bound, like that of the contract

    /// <summary>Creates a decoder.</summary>
    /// <param name="contract">The contract of the messages.</param>
    /// <param name="limits">The limits; a payload that would be larger after decompression is refused.</param>
    public PayloadDecoder(MessageContract<TMessage> contract, MessageLimits limits)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(limits);
        _contract = contract;
        _limits = limits;
        _pooled = contract.Serializer as IPooledMessageSerializer<TMessage>;
        _deserialize = _pooled is { } pooled ? pooled.TryDeserializePooled : contract.Serializer.TryDeserialize;
    }

    /// <summary>The contract of the messages.</summary>
    public MessageContract<TMessage> Contract => _contract;

    /// <summary>The limits.</summary>
    public MessageLimits Limits => _limits;

    /// <summary>Decodes a payload. Does not throw for invalid bytes.</summary>
    /// <param name="header">The message's header. Its type is not compared with the contract's.</param>
    /// <param name="payload">The bytes after the header.</param>
    /// <param name="message">The message. A pooled message is the caller's until <see cref="Return"/>.</param>
    /// <param name="status"><see cref="DispatchStatus.Handled"/>, or why the payload cannot be read.</param>
    /// <returns><see langword="true"/> if the payload is a valid message; otherwise, <see langword="false"/>.</returns>
    public bool TryDecode(in MessageHeader header, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        if (header.IsCompressed)
            return TryDecompress(header.DecompressedSize, payload, out message, out status);

        return TryDeserialize(payload, out message, out status);
    }

    /// <summary>Returns a message of a pooled contract to its pool; does nothing for other messages. Do not return a message that something may still refer to.</summary>
    /// <param name="message">The message. The caller does not use it again.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Return(TMessage message) => _pooled?.Return(message);

    /// <summary>Decodes a payload that is not compressed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message) => _deserialize(payload, out message);

    private bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        var valid = _deserialize(payload, out message);
        status = valid ? DispatchStatus.Handled : DispatchStatus.InvalidPayload;
        return valid;
    }

    private bool TryDecompress(int size, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        message = default;
        if (_contract.Compression is not { } policy)
        {
            status = DispatchStatus.Malformed;
            return false;
        }

        if (size > _limits.MaxDecompressedSize)
        {
            status = DispatchStatus.TooLarge; // before any memory is rented
            return false;
        }

        var cache = ThreadCache.Current;
        var scratch = cache.Rent(int.MaxValue);
        try
        {
            if (_contract.IsSecret)
                scratch.MarkSecret();

            var decompressed = scratch.GetSpan(size).Slice(0, size);
            status = DispatchStatus.CorruptPayload;
            if (!policy.Compressor.TryDecompress(payload, decompressed))
                return false;

            return TryDeserialize(decompressed, out message, out status);
        }
        finally
        {
            cache.Return(scratch);
        }
    }
}
