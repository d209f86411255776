using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Reloaded.Messaging;

/// <summary>Sends a message as UTF-8 JSON, with System.Text.Json and its source-generated metadata.</summary>
/// <typeparam name="T">The message type.</typeparam>
/// <remarks>
/// A reused <see cref="Utf8JsonWriter"/> writes into the buffer of the message; only converters allocate. Encoder, depth and indentation come from
/// the context of the <see cref="JsonTypeInfo{T}"/>. No reflection is used if the context uses none.
/// Payloads that are not JSON, do not fit the type, or are the literal <c>null</c> are refused. Exceptions of the message's setters and
/// converters, except <see cref="JsonException"/>, are thrown to the caller.
/// </remarks>
public sealed class JsonMessageSerializer<T> : IMessageSerializer<T>
{
    private readonly JsonTypeInfo<T> _typeInfo;
    private readonly JsonWriterOptions _writerOptions;
    private Utf8JsonWriter? _spare;

    /// <summary>Creates a serializer from metadata.</summary>
    /// <param name="typeInfo">The metadata from a <c>JsonSerializerContext</c>, such as <c>MyContext.Default.ModConfig</c>.</param>
    public JsonMessageSerializer(JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        _typeInfo = typeInfo;
        _writerOptions = new JsonWriterOptions
        {
            Encoder = typeInfo.Options.Encoder,
            Indented = typeInfo.Options.WriteIndented,
#if NET9_0_OR_GREATER
            IndentCharacter = typeInfo.Options.IndentCharacter,
            IndentSize = typeInfo.Options.IndentSize,
            NewLine = typeInfo.Options.NewLine,
#endif
            MaxDepth = typeInfo.Options.MaxDepth,
            SkipValidation = true,
        };
    }

    /// <inheritdoc/>
    public string Name => "json";

    /// <inheritdoc/>
    public void Serialize(in T value, MessageBuffer buffer)
    {
        if (value is null)
            throw new ArgumentNullException(nameof(value)); // receivers refuse the literal null

        // One spare writer per contract: concurrent threads create their own writers, and the last returned writer is kept.
        var writer = Interlocked.Exchange(ref _spare, null);
        if (writer is null)
            writer = new Utf8JsonWriter(buffer, _writerOptions);
        else
            writer.Reset(buffer);

        JsonSerializer.Serialize(writer, value, _typeInfo);
        writer.Flush();

        // Not in a finally block: a writer that threw is left to the garbage collector. Detached, so that it keeps no buffer of a thread alive.
        writer.Reset(DetachedBuffer.Instance);
        Volatile.Write(ref _spare, writer);
    }

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        try
        {
            value = JsonSerializer.Deserialize(payload, _typeInfo);
            return value is not null;
        }
        catch (Exception e) when (e is JsonException or NotSupportedException)
        {
            // NotSupportedException is thrown, for example, for an object without the discriminator of its class hierarchy: bad bytes as well.
            value = default;
            return false;
        }
    }
}

/// <summary>The destination of a spare JSON writer while it is unused. Writing there is a defect of the library.</summary>
internal sealed class DetachedBuffer : IBufferWriter<byte>
{
    public static readonly DetachedBuffer Instance = new();

    public void Advance(int count) => throw Fault();

    public Memory<byte> GetMemory(int sizeHint = 0) => throw Fault();

    public Span<byte> GetSpan(int sizeHint = 0) => throw Fault();

    private static InvalidOperationException Fault() => new("A JSON writer was used outside of its call. This is a defect of the library.");
}
