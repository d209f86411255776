using System;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Sends a message as UTF-8 JSON, by System.Text.Json and its source-generated metadata.</summary>
/// <typeparam name="T">The message.</typeparam>
/// <remarks>
/// JSON is written straight into the message's buffer by a <see cref="Utf8JsonWriter"/> that is used again; nothing is allocated but what
/// converters allocate. Encoder, depth and whether to indent come from the <see cref="JsonTypeInfo{T}"/>'s context; no reflection is used if it uses none.
/// Payloads that are not JSON, do not fit the type, or are the literal <c>null</c> are refused. What a setter or a converter of the
/// message's own throws, other than <see cref="JsonException"/>, is the caller's to see.
/// </remarks>
public sealed class JsonMessageSerializer<T> : IMessageSerializer<T>
{
    private readonly JsonTypeInfo<T> _typeInfo;
    private readonly JsonWriterOptions _writerOptions;
    private Utf8JsonWriter? _spare;

    /// <summary>Serializes by the given metadata.</summary>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>: <c>MyContext.Default.ModConfig</c>.</param>
    public JsonMessageSerializer(JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        _typeInfo = typeInfo;
        _writerOptions = new JsonWriterOptions
        {
            Encoder = typeInfo.Options.Encoder,
            Indented = typeInfo.Options.WriteIndented,
            MaxDepth = typeInfo.Options.MaxDepth,
            SkipValidation = true,
        };
    }

    /// <inheritdoc/>
    public string Name => "json";

    /// <inheritdoc/>
    public void Serialize(in T value, MessageBuffer buffer)
    {
        // One spare writer a contract: threads that meet here make a writer of their own, and the last one back is kept.
        var writer = Interlocked.Exchange(ref _spare, null);
        if (writer is null)
            writer = new Utf8JsonWriter(buffer, _writerOptions);
        else
            writer.Reset(buffer);

        JsonSerializer.Serialize(writer, value, _typeInfo);
        writer.Flush();

        // Not in a finally: a writer that threw halfway is left to the collector. Detached, so that it keeps no thread's buffers.
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
            // Not supported is, for one, an object without the discriminator that says which class of a hierarchy it is: bad bytes too.
            value = default;
            return false;
        }
    }
}
