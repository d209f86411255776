using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>From a payload as it came to a message: decompresses if it has to, and deserializes.</summary>
internal sealed class PayloadDecoder<TMessage>(MessageContract<TMessage> contract, MessageLimits limits)
{
    private readonly IPooledMessageSerializer<TMessage>? _pooled = contract.Serializer as IPooledMessageSerializer<TMessage>;

    // Bound, as the contract's own is.
    private readonly DeserializeCall<TMessage> _deserialize =
        contract.Serializer is IPooledMessageSerializer<TMessage> pooled ? pooled.TryDeserializePooled : contract.Serializer.TryDeserialize;

    public MessageContract<TMessage> Contract => contract;

    public MessageLimits Limits => limits;

    /// <returns>True with the message and <see cref="DispatchStatus.Handled"/>, or false with the reason.</returns>
    public bool TryDecode(in MessageHeader header, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        if (header.IsCompressed)
            return TryDecompress(header.DecompressedSize, payload, out message, out status);

        return TryDeserialize(payload, out message, out status);
    }

    /// <summary>Gives a pooled message back once its handler has returned. One whose handler threw is left to the collector: something may still hold it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Return(TMessage message) => _pooled?.Return(message);

    private bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        var valid = _deserialize(payload, out message);
        status = valid ? DispatchStatus.Handled : DispatchStatus.InvalidPayload;
        return valid;
    }

    private bool TryDecompress(int size, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TMessage message, out DispatchStatus status)
    {
        message = default;
        if (contract.Compression is not { } policy)
        {
            status = DispatchStatus.Malformed;
            return false;
        }

        if (size > limits.MaxDecompressedSize)
        {
            status = DispatchStatus.TooLarge; // before anything is rented
            return false;
        }

        var cache = ThreadCache.Current;
        var scratch = cache.Rent(int.MaxValue);
        try
        {
            if (contract.IsSecret)
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
