using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Appends a message of any contract to a buffer: header, payload, and compression where it pays.</summary>
internal static class MessageAssembler
{
    /// <summary>Returns the exception of a buffer with the type of the message and the name of the limit.</summary>
    public static MessageTooLargeException Name(MessageTooLargeException unnamed, MessageContract contract, MessageLimits limits) => unnamed.Of(
        contract.MessageType,
        contract.Compression is not null && unnamed.Limit == limits.MaxDecompressedSize ? nameof(MessageLimits.MaxDecompressedSize)
            : unnamed.Limit == limits.MaxMessageSize ? nameof(MessageLimits.MaxMessageSize)
            : null);

    /// <summary>Appends one message. If it throws, the buffer holds a partial message, which the caller removes.</summary>
    public static void Append<T>(
        MessageBuffer target,
        MessageContract<T> contract,
        in T value,
        in MessageHeader header,
        MessageLimits limits)
    {
        var start = target.Length;
        if (contract.IsSecret)
            target.MarkSecret();

        if (contract.Compression is null)
        {
            if (header.Kind == MessageKind.Event)
                target.AppendHeader(contract.EventHeaderBytes, contract.EventHeaderSize);
            else
                target.Write(in header);
            contract.Serialize(in value, target);
        }
        else
        {
            AppendCompressed(target, contract, in value, in header, limits);
        }

        var size = target.Length - start;
        if (size > limits.MaxMessageSize)
            Throw.MessageTooLarge(contract.MessageType, size, limits.MaxMessageSize, nameof(MessageLimits.MaxMessageSize));
    }

#pragma warning disable CS8500 // the address of a type that may have references: the caller has checked that the type has none
    private static unsafe void AppendMemory<T>(MessageBuffer target, MessageContract contract, in T value, in MessageHeader header, MessageLimits limits)
    {
        fixed (T* memory = &value)
            AppendPayload(target, contract, in header, new ReadOnlySpan<byte>(memory, sizeof(T)), limits);
    }
#pragma warning restore CS8500

    [MethodImpl(MethodImplOptions.NoInlining)] // keeps the inlining budget for plain messages
    private static void AppendCompressed<T>(
        MessageBuffer target,
        MessageContract<T> contract,
        in T value,
        in MessageHeader header,
        MessageLimits limits)
    {
        if (!RuntimeHelpers.IsReferenceOrContainsReferences<T>() && contract.IsBlittable)
        {
            // The memory of the struct is the payload: no serializer is needed.
            AppendMemory(target, contract, in value, in header, limits);
            return;
        }

        // Into a separate buffer, and compressed or copied from there.
        var cache = ThreadCache.Current;
        var scratch = cache.Rent(limits.MaxDecompressedSize);
        try
        {
            if (contract.IsSecret)
                scratch.MarkSecret();
            contract.Serialize(in value, scratch);
            AppendPayload(target, contract, in header, scratch.Written, limits);
        }
        finally
        {
            cache.Return(scratch);
        }
    }

    private static void AppendPayload(
        MessageBuffer target,
        MessageContract contract,
        in MessageHeader header,
        ReadOnlySpan<byte> payload,
        MessageLimits limits)
    {
        if (payload.Length > limits.MaxDecompressedSize)
            Throw.MessageTooLarge(contract.MessageType, payload.Length, limits.MaxDecompressedSize, nameof(MessageLimits.MaxDecompressedSize));
        var policy = contract.Compression!;
        if (payload.Length >= policy.Threshold && TryCompress(target, in header, payload, policy))
            return;

        target.Write(in header);
        target.Write(payload);
    }

    private static bool TryCompress(MessageBuffer target, in MessageHeader header, ReadOnlySpan<byte> payload, CompressionOptions policy)
    {
        // With the longer header, the result has to be at least one byte smaller than the uncompressed payload.
        var room = policy.EvenIfLarger ? policy.GetMaxCompressedSize(payload.Length) : payload.Length - header.SizeOfCompressed(payload.Length) - 1;
        if (room <= 0 && !policy.EvenIfLarger)
            return false;

        var message = target.GetSpan(MessageHeader.MaxSize + room);
        var headerSize = header.WriteCompressed(message, payload.Length);
        if (!policy.Compress(payload, message.Slice(headerSize, room), out var written))
        {
            if (policy.EvenIfLarger)
                ThrowDoesNotFit(policy, payload.Length, room);
            return false;
        }

        if ((uint)written > (uint)room)
            ThrowWrongSize(policy, written, room);
        MessagingMetrics.CountCompressed(payload.Length, written);
        target.Advance(headerSize + written);
        return true;
    }

    private static void ThrowWrongSize(CompressionOptions policy, int written, int room) =>
        throw new InvalidOperationException($"The compressor {policy.CompressorName} wrote {written} bytes, and its destination has {room}. Set 'written' to the size of the result, or return false if it does not fit.");

    private static void ThrowDoesNotFit(CompressionOptions policy, int size, int room) =>
        throw new InvalidOperationException(
            $"The compressor {policy.CompressorName} did not fit {size} bytes into {room} bytes, the size that its GetMaxCompressedSize returned. Correct GetMaxCompressedSize.");
}
