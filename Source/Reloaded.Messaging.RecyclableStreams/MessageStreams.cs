using System.Buffers;
using Microsoft.IO;

namespace Reloaded.Messaging.RecyclableStreams;

/// <summary>Packs messages into streams of a <see cref="RecyclableMemoryStreamManager"/>, and dispatches messages from such streams.</summary>
/// <remarks>
/// One stream holds one message, without a length prefix. Every method may be called on any thread. A stream belongs to one thread at a
/// time. To append a message to an existing stream, pass the stream to
/// <see cref="MessageWriter.Write{T}(IBufferWriter{byte}, MessageContract{T}, in T)"/>. This method does not check whether the manager of the
/// stream zeroes returned memory, which secret messages need.
/// </remarks>
public static class MessageStreams
{
    private const int BlockSize = 16 << 10;
    private const int LargeBufferSize = 1 << 20;
    private const long SpareBytes = 4 << 20;

    /// <summary>Creates a manager with bounded pools and bounded streams. The default settings of the stream library bound nothing.</summary>
    /// <param name="limits">A stream can grow to <see cref="MessageLimits.MaxMessageSize"/>, rounded up to whole blocks. <c>null</c> uses <see cref="MessageLimits.Default"/> (1 MiB).</param>
    /// <param name="holdsSecrets">
    /// Whether returned memory is zeroed, which secret contracts require. Zeroing takes time for each whole block, even for a small message, so
    /// keep a manager for the secret messages alone (default: <see langword="false"/>).
    /// </param>
    /// <returns>The manager, which is thread-safe. It is the pool, so create one and keep it.</returns>
    /// <remarks>
    /// <list type="bullet">
    /// <item>Blocks have 16 KiB instead of 128 KiB, because a stream takes at least one block and most messages are small. The buffer of a message keeps arrays up to the same size.</item>
    /// <item>At most 4 MiB of free blocks are kept, as much as the message pool keeps for a thread. The garbage collector frees blocks beyond that.</item>
    /// <item>At most 4 MiB of free large buffers are kept. Each has 1 MiB. Larger buffers are not kept. The library limits each buffer size separately; with one size, the limit applies to all large buffers.</item>
    /// <item>A stream that would grow beyond its limit throws <see cref="OutOfMemoryException"/>. The stream library defines this exception.</item>
    /// </list>
    /// Free memory stays allocated until the manager is collected. No method trims it.
    /// </remarks>
    public static RecyclableMemoryStreamManager CreateManager(MessageLimits? limits = null, bool holdsSecrets = false)
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
            ZeroOutBuffer = holdsSecrets,
        });
    }

    /// <summary>Packs an event into a new stream, by the declared contract of its type.</summary>
    /// <inheritdoc cref="PackToStream{T}(MessageWriter, RecyclableMemoryStreamManager, MessageContract{T}, in T)"/>
    public static RecyclableMemoryStream PackToStream<T>(this MessageWriter writer, RecyclableMemoryStreamManager manager, in T value) =>
        PackToStream(writer, manager, MessageContract.GetDeclared<T>(), in value);

    /// <summary>Packs an event into a new stream.</summary>
    /// <param name="writer">The writer that packs the message.</param>
    /// <param name="manager">The manager that creates the stream.</param>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <returns>The stream, positioned at its beginning. The caller owns the stream and disposes it once. If the call throws, the stream is already disposed.</returns>
    /// <remarks>Copies the packed message once. Allocates the stream object, and the memory of the stream if the manager has no free block.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of the writer.</exception>
    /// <exception cref="OutOfMemoryException">Thrown when the message exceeds the manager's <see cref="RecyclableMemoryStreamManager.Options.MaximumStreamCapacity"/>.</exception>
    /// <exception cref="InvalidOperationException">
    /// Thrown when the contract is secret and the manager does not zero returned memory, or when no contract is declared for <typeparamref name="T"/>.
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

        using var packed = writer.Pack(contract, in value);
        var stream = manager.GetStream(Guid.Empty); // an id is for the manager's events alone, and a new one is a call of the system
        try
        {
            stream.Write(packed.Span);
            stream.Position = 0;
            return stream;
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    /// <summary>Packs an event into an existing stream, in place of what the stream holds.</summary>
    /// <param name="writer">The writer that packs the message.</param>
    /// <param name="stream">The stream. Afterwards it holds the message alone and is positioned at its beginning. It keeps its memory.</param>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="value">The message.</param>
    /// <remarks>
    /// Copies the packed message once. Allocates nothing while the message fits the memory of the stream. If the message cannot be packed,
    /// the stream is unchanged. If the stream cannot hold the message, the stream is empty.
    /// </remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of the writer.</exception>
    /// <exception cref="OutOfMemoryException">Thrown when the message exceeds the manager's <see cref="RecyclableMemoryStreamManager.Options.MaximumStreamCapacity"/>.</exception>
    /// <exception cref="InvalidOperationException">Thrown when the contract is secret: the next message would leave a part of the secret in the stream.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the stream is disposed.</exception>
    public static void PackToStream<T>(this MessageWriter writer, RecyclableMemoryStream stream, MessageContract<T> contract, in T value)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentNullException.ThrowIfNull(contract);
        if (contract.IsSecret)
            throw new InvalidOperationException($"{contract} is secret, and a stream that is used again keeps its memory. Pack the message into a new stream of a manager that zeroes.");

        using var packed = writer.Pack(contract, in value);
        stream.SetLength(0);
        try
        {
            stream.Write(packed.Span);
            stream.Position = 0;
        }
        catch
        {
            stream.SetLength(0);
            throw;
        }
    }

    /// <summary>Calls the handler for the message in a stream.</summary>
    /// <param name="dispatcher">The dispatcher with the handlers.</param>
    /// <param name="stream">The stream, with header and payload. The whole stream is read, at any position, and only during the call. It may come from any source, and is not disposed.</param>
    /// <param name="state">The state, which is passed to the handler.</param>
    /// <returns>The result of the dispatch. Returns <see cref="DispatchStatus.TooLarge"/>, without counting the message, if the stream is longer than an array can be (2,147,483,591 bytes).</returns>
    /// <remarks>
    /// A message in one block is read in place. A message in several blocks is copied once, into an array from <see cref="ArrayPool{T}.Shared"/>.
    /// The array is zeroed and returned when the call ends, also when the handler throws. For such a message, the call also allocates one object for
    /// each block. The length of the rented array depends on the length of the stream, never on a length in the header.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">Thrown when the stream is disposed.</exception>
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
            copy.Clear(); // the message may be secret; this method cannot know
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static InvalidOperationException NotZeroed(MessageContract contract) =>
        new($"{contract} is secret, but {nameof(RecyclableMemoryStreamManager.Options.ZeroOutBuffer)} of the manager is off. " +
            $"Turn it on, or create the manager by {nameof(MessageStreams)}.{nameof(CreateManager)}(holdsSecrets: true).");
}
