using System.Buffers;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Packs messages into reusable buffers: the header and the payload, compressed if the contract says so.</summary>
/// <remarks>
/// Thread-safe and stateless: one writer is enough for a process. Packing inside a handler or a serializer is allowed.
/// Only the serializer allocates once the buffers of a thread exist. A call that throws has packed nothing.
/// </remarks>
/// <example><code>
/// var writer = new MessageWriter();
/// using var packed = writer.Pack(new Move(1, 2));
/// Console.WriteLine($"{packed.Length} bytes"); // packed.Span has them until the end of the block
///
/// [Message(3)] public readonly record struct Move(float X, float Y);
/// </code></example>
public sealed class MessageWriter
{
    private readonly MessageLimits _limits;
    private readonly int _maxMessageSize;

    /// <summary>Creates a writer.</summary>
    /// <param name="limits">The limits (default: <see cref="MessageLimits.Default"/>).</param>
    public MessageWriter(MessageLimits? limits = null)
    {
        MessagePool.PublishMetrics();
        _limits = limits ?? MessageLimits.Default;
        _maxMessageSize = _limits.MaxMessageSize;
    }

    /// <summary>Packs an event by the declared contract of its type.</summary>
    /// <inheritdoc cref="Pack{T}(MessageContract{T}, in T)"/>
    /// <exception cref="InvalidOperationException">Thrown when no contract is declared for <typeparamref name="T"/>.</exception>
    public PackedMessage Pack<T>(in T value) => Pack(MessageContract.GetDeclared<T>(), in value);

    /// <summary>Packs an event.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <returns>The packed message. The caller owns it and disposes it after sending.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PackedMessage Pack<T>(MessageContract<T> contract, in T value)
    {
        ArgumentNullException.ThrowIfNull(contract);
        var prefix = contract.FramePrefix;
        if (RuntimeHelpers.IsReferenceOrContainsReferences<T>() || Unsafe.SizeOf<T>() >= MessageLimits.MinLimit - 1 || prefix == 0)
            return PackAny(contract, in value, contract.EventHeader);

        var buffer = ThreadCache.Current.Rent(out var generation);
        ref var message = ref buffer.Start(1 + Unsafe.SizeOf<T>());
        message = (byte)(prefix >> 8);
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref message, 1), value);
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(1);
        return new PackedMessage(buffer, generation);
    }

    /// <summary>Packs a message of a given kind.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <param name="kind">The kind of the message.</param>
    /// <param name="correlationId">The id that pairs a request with its reply or fault; 0 for other kinds.</param>
    /// <returns>The packed message. The caller owns it and disposes it after sending.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public PackedMessage Pack<T>(MessageContract<T> contract, in T value, MessageKind kind, uint correlationId)
    {
        ArgumentNullException.ThrowIfNull(contract);
        return PackAny(contract, in value, new MessageHeader(contract.Type, kind, correlationId));
    }

    /// <summary>Packs a message of a given kind whose type is known only at run time.</summary>
    /// <param name="contract">The contract of the message (see <see cref="MessageContract.GetDeclared(Type)"/>).</param>
    /// <param name="value">The message.</param>
    /// <param name="kind">The kind of the message.</param>
    /// <param name="correlationId">The id that pairs a request with its reply or fault; 0 for other kinds.</param>
    /// <returns>The packed message. The caller owns it and disposes it after sending.</returns>
    /// <exception cref="InvalidCastException">Thrown when the message is not of the contract's type.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public PackedMessage PackObject(MessageContract contract, object value, MessageKind kind = MessageKind.Event, uint correlationId = 0)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(value);
        return Pack(contract.ForObjects, in value, kind, correlationId);
    }

    /// <summary>Packs a payload that is already serialized and, if the header says so, compressed.</summary>
    /// <param name="header">The header, which is written unchanged.</param>
    /// <param name="payload">The payload. It is copied.</param>
    /// <param name="isSecret">Whether to zero the bytes when the message is released (default: <see langword="false"/>).</param>
    /// <returns>The packed message. The caller owns it and disposes it after sending.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public PackedMessage PackRaw(MessageHeader header, ReadOnlySpan<byte> payload, bool isSecret = false)
    {
        var size = (long)header.Size + payload.Length;
        if (size > _maxMessageSize)
            Throw.MessageTooLarge(null, size, _maxMessageSize, nameof(MessageLimits.MaxMessageSize));

        var buffer = ThreadCache.Current.Rent(_maxMessageSize);
        if (isSecret)
            buffer.MarkSecret();
        buffer.Write(in header);
        buffer.Write(payload);
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(1);
        return new PackedMessage(buffer);
    }

    /// <summary>Copies a packed message, for example as it was received.</summary>
    /// <param name="message">The header and the payload. Their contents are not checked.</param>
    /// <param name="isSecret">Whether to zero the bytes when the copy is released (default: <see langword="false"/>).</param>
    /// <returns>The copy. The caller owns it and disposes it.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds <see cref="MessageLimits.MaxMessageSize"/>.</exception>
    public PackedMessage PackCopy(ReadOnlySpan<byte> message, bool isSecret = false)
    {
        if (message.Length > _maxMessageSize)
            Throw.MessageTooLarge(null, message.Length, _maxMessageSize, nameof(MessageLimits.MaxMessageSize));

        var buffer = ThreadCache.Current.Rent(_maxMessageSize);
        if (isSecret)
            buffer.MarkSecret();
        buffer.Write(message);
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(1);
        return new PackedMessage(buffer);
    }

    /// <summary>Writes an event without a length to a buffer writer, for transports that separate messages themselves.</summary>
    /// <param name="destination">The destination. It is used only after the whole message is packed.</param>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit.</exception>
    public void Write<T>(IBufferWriter<byte> destination, MessageContract<T> contract, in T value)
    {
        using var packed = Pack(contract, in value);
        packed.CopyTo(destination);
    }

    /// <summary>Writes an event by the declared contract of its type.</summary>
    /// <inheritdoc cref="Write{T}(IBufferWriter{byte}, MessageContract{T}, in T)"/>
    /// <exception cref="InvalidOperationException">Thrown when no contract is declared for <typeparamref name="T"/>.</exception>
    public void Write<T>(IBufferWriter<byte> destination, in T value) => Write(destination, MessageContract.GetDeclared<T>(), in value);

    /// <summary>Appends an event to a batch, by the declared contract of its type.</summary>
    /// <inheritdoc cref="Append{T}(MessageBatch, MessageContract{T}, in T)"/>
    public void Append<T>(MessageBatch batch, in T value) => Append(batch, MessageContract.GetDeclared<T>(), in value);

    /// <summary>Appends an event to a batch, after its length.</summary>
    /// <param name="batch">The batch. One thread at a time.</param>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <exception cref="InvalidOperationException">Thrown when the batch is full. The batch is unchanged. <see cref="TryAppend"/> returns a value instead.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit, or is larger than an empty batch.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Append<T>(MessageBatch batch, MessageContract<T> contract, in T value)
    {
        if (!TryAppend(batch, contract, in value))
            batch.ThrowFull();
    }

    /// <summary>Appends events of one type to a batch, each after its length, until the batch is full.</summary>
    /// <param name="batch">The batch. One thread at a time.</param>
    /// <param name="contract">The contract of the messages.</param>
    /// <param name="values">The messages, in the order in which they are appended.</param>
    /// <returns>
    /// The number of messages appended, from the first on (0 to the length of <paramref name="values"/>). If it is less than the length, the
    /// batch is full: send it, clear it, and continue with the rest.
    /// </returns>
    /// <remarks>Faster than one call for each message: the batch's position is kept in a register.</remarks>
    /// <exception cref="MessageTooLargeException">
    /// Thrown when a message exceeds a limit, or is larger than an empty batch. The messages before it are in the batch.
    /// </exception>
    public int TryAppendAll<T>(MessageBatch batch, MessageContract<T> contract, ReadOnlySpan<T> values)
    {
        ArgumentNullException.ThrowIfNull(batch);
        ArgumentNullException.ThrowIfNull(contract);
        var appended = 0;
        while (appended < values.Length)
        {
            if (!RuntimeHelpers.IsReferenceOrContainsReferences<T>() && contract.FramePrefix != 0)
                appended += batch.AppendFrames(contract.FramePrefix, values.Slice(appended));
            if (appended < values.Length && !batch.TryAppend(contract, in values[appended++], _limits))
                return appended - 1;
        }

        return appended;
    }

    /// <summary>Appends an event to a batch, after its length, if it fits.</summary>
    /// <param name="batch">The batch. One thread at a time.</param>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <returns><c>false</c> if the batch is full and unchanged: send it, clear it and try again. Otherwise, <c>true</c>.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit, or does not fit into an empty batch.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAppend<T>(MessageBatch batch, MessageContract<T> contract, in T value)
    {
        ArgumentNullException.ThrowIfNull(batch);
        ArgumentNullException.ThrowIfNull(contract);
        var prefix = contract.FramePrefix;
        var buffer = batch.Buffer;
        if (RuntimeHelpers.IsReferenceOrContainsReferences<T>() ||
            Unsafe.SizeOf<T>() >= MessageLimits.MinLimit - 1 ||
            prefix == 0 ||
            !buffer.TryStartFrame(2 + Unsafe.SizeOf<T>(), out var array, out var start))
        {
            return batch.TryAppend(contract, in value, _limits);
        }

        // Length and header in one store: both are one byte, and the contract knows them.
        ref var frame = ref MessageBuffer.At(array, start);
        Unsafe.WriteUnaligned(ref frame, prefix);
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref frame, sizeof(ushort)), value);
        batch.Count++;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PackedMessage PackAny<T>(MessageContract<T> contract, in T value, in MessageHeader header)
    {
        var cache = ThreadCache.Current;
        var buffer = cache.Rent(out var generation);
        buffer.Restart(_maxMessageSize);
        try
        {
            MessageAssembler.Append(buffer, contract, in value, in header, _limits);
        }
        catch (Exception e)
        {
            cache.Return(buffer);
            if (e is MessageTooLargeException { IsUnnamed: true } unnamed)
                throw MessageAssembler.Name(unnamed, contract, _limits);
            throw;
        }

        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(1);
        return new PackedMessage(buffer, generation);
    }
}
