using System;
using System.Buffers;
using Microsoft.IO;

namespace Reloaded.Messaging.RecyclableStreams;

/// <summary>Packs messages into streams of a <see cref="RecyclableMemoryStreamManager"/>, and dispatches messages out of such streams.</summary>
/// <remarks>
/// One stream holds one message, without a length in front. Every method may be called on any thread; a stream belongs to one thread at a
/// time. To append a message to a stream that is there already, give the stream to
/// <see cref="MessageWriter.Write{T}(IBufferWriter{byte}, MessageContract{T}, in T)"/>, which does not ask whether the stream's manager zeroes
/// what secrets leave behind.
/// </remarks>
public static class MessageStreams
{
    private const int BlockSize = 16 << 10;
    private const int LargeBufferSize = 1 << 20;
    private const long SpareBytes = 4 << 20;

    /// <summary>Makes a manager that is bounded: the library's own defaults are not, neither in what they keep nor in what a stream takes.</summary>
    /// <param name="limits">A stream grows to their <see cref="MessageLimits.MaxMessageSize"/>, rounded up to whole blocks; <see cref="MessageLimits.Default"/>, 1 MiB, if null.</param>
    /// <returns>A manager that any number of threads may share. Keep one: it is the pool.</returns>
    /// <remarks>
    /// <list type="bullet">
    /// <item>Blocks of 16 KiB instead of 128: a stream takes at least one, and most messages are small. It is also the largest array that a message's own buffer keeps.</item>
    /// <item>At most 4 MiB of spare blocks, as much as the messages' own pool keeps warm for a thread. What comes back beyond that is the garbage collector's.</item>
    /// <item>At most 4 MiB of spare large buffers, of 1 MiB each, and none larger. The library bounds each size apart: with one size that is the bound of all.</item>
    /// <item>A stream that would grow above the limit throws <see cref="OutOfMemoryException"/>: that is the library's choice.</item>
    /// <item>Returned memory is zeroed, so that streams may hold secrets. That costs time for each whole block, however small the message.</item>
    /// </list>
    /// The spare memory stays until the manager itself is collected: nothing trims it.
    /// </remarks>
    public static RecyclableMemoryStreamManager CreateManager(MessageLimits? limits = null)
    {
        var blocks = ((limits ?? MessageLimits.Default).MaxMessageSize + (BlockSize - 1L)) / BlockSize;
        return new(new RecyclableMemoryStreamManager.Options
        {
            BlockSize = BlockSize,
            LargeBufferMultiple = LargeBufferSize,
            MaximumBufferSize = LargeBufferSize,
            MaximumSmallPoolFreeBytes = SpareBytes,
            MaximumLargePoolFreeBytes = SpareBytes,
            MaximumStreamCapacity = blocks * BlockSize, // a limit below a block would refuse every stream
            ZeroOutBuffer = true,
        });
    }

    /// <summary>Packs an event into a stream of its own, by its type's declared contract.</summary>
    /// <inheritdoc cref="PackToStream{T}(MessageWriter, RecyclableMemoryStreamManager, MessageContract{T}, in T)"/>
    public static RecyclableMemoryStream PackToStream<T>(this MessageWriter writer, RecyclableMemoryStreamManager manager, in T value) =>
        PackToStream(writer, manager, MessageContract.GetDeclared<T>(), in value);

    /// <summary>Packs an event into a stream of its own.</summary>
    /// <param name="writer">What packs.</param>
    /// <param name="manager">Whose stream it is.</param>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="value">The message.</param>
    /// <returns>The stream, at its beginning: the caller's, to dispose once. When the call throws, the stream is disposed already.</returns>
    /// <remarks>Copies the packed message once. Allocates the stream's object, and its memory where the manager has none to spare.</remarks>
    /// <exception cref="MessageTooLargeException">The message exceeds a limit of the writer.</exception>
    /// <exception cref="OutOfMemoryException">The message exceeds the manager's <see cref="RecyclableMemoryStreamManager.Options.MaximumStreamCapacity"/>.</exception>
    /// <exception cref="InvalidOperationException">
    /// The contract is secret and the manager does not zero what comes back; or no contract is declared for <typeparamref name="T"/>.
    /// </exception>
    public static RecyclableMemoryStream PackToStream<T>(
        this MessageWriter writer,
        RecyclableMemoryStreamManager manager,
        MessageContract<T> contract,
        in T value)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(manager);
        ArgumentNullException.ThrowIfNull(contract);
        if (contract.IsSecret && !manager.Settings.ZeroOutBuffer)
            throw NotZeroed(contract);

        var stream = manager.GetStream();
        try
        {
            writer.Write(stream, contract, in value);
            stream.Position = 0;
            return stream;
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    /// <summary>Calls the handler of the message that a stream holds.</summary>
    /// <param name="dispatcher">Who knows the handlers.</param>
    /// <param name="stream">Header and payload, all of it wherever its position is. From anywhere; only read, and only during the call; not disposed.</param>
    /// <param name="state">Passed on to the handler.</param>
    /// <returns>What became of the message. <see cref="DispatchStatus.TooLarge"/>, and not counted, for a stream longer than an array can be: 2147483591 bytes.</returns>
    /// <remarks>
    /// A message in one block is read where it is. One in several is copied once, into an array from <see cref="ArrayPool{T}.Shared"/> that
    /// goes back with the copy zeroed when the call ends, by a handler's exception too; beyond the array that allocates an object for each
    /// block. What is rented is as long as the stream, which the memory is there for already, and never what a header claims.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The stream is disposed.</exception>
    public static DispatchStatus Dispatch<T>(this MessageDispatcher<T> dispatcher, RecyclableMemoryStream stream, ref T state)
    {
        ArgumentNullException.ThrowIfNull(dispatcher);
        ArgumentNullException.ThrowIfNull(stream);
        if (stream.Length > Array.MaxLength)
            return DispatchStatus.TooLarge;

        var message = stream.GetReadOnlySequence();
        return message.IsSingleSegment ? dispatcher.Dispatch(message.FirstSpan, ref state) : DispatchCopy(dispatcher, in message, ref state);
    }

    private static DispatchStatus DispatchCopy<T>(MessageDispatcher<T> dispatcher, in ReadOnlySequence<byte> message, ref T state)
    {
        var rented = ArrayPool<byte>.Shared.Rent((int)message.Length);
        var copy = rented.AsSpan(0, (int)message.Length);
        try
        {
            message.CopyTo(copy);
            return dispatcher.Dispatch(copy, ref state);
        }
        finally
        {
            copy.Clear(); // which messages are secret is not known here
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static InvalidOperationException NotZeroed(MessageContract contract) =>
        new($"{contract} is secret, and the manager's {nameof(RecyclableMemoryStreamManager.Options.ZeroOutBuffer)} is off: " +
            $"set it, or use {nameof(MessageStreams)}.{nameof(CreateManager)}.");
}
