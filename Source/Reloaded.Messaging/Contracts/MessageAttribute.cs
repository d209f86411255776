namespace Reloaded.Messaging;

/// <summary>Makes a struct, class, record or record struct a message. The compiler generates its contract and serializer.</summary>
/// <remarks>
/// Serialized members: public properties and fields that can be set or that a constructor takes, in the order of their declaration, base classes first.
/// Append new members at the end; see docs/specification/binary-format.md. On an interface or an abstract class, the attribute declares a union of the types that
/// <see cref="MessageUnionAttribute"/> lists. Contracts are declared when the assembly is loaded; where the target has no module initializers,
/// call the generated <c>MessageContracts.Declare()</c>.
/// </remarks>
/// <example><code>
/// using var packed = new MessageWriter().Pack(new ModInfo("menu", ModState.Running));
///
/// [Message(5)] public sealed record ModInfo(string Name, ModState State, List&lt;string&gt;? Files = null);
/// public enum ModState : byte { Off, Running }
/// </code></example>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Interface, Inherited = false)]
public sealed class MessageAttribute : Attribute
{
    /// <summary>Derives the id from the type's full name. It is the same in every build, from 2097152 to 268435455, and takes four bytes in the header.</summary>
    public MessageAttribute() => Type = -1;

    /// <summary>Sets the id.</summary>
    /// <param name="type">The id (0–4294967295). With an id up to 126, the header is one byte.</param>
    public MessageAttribute(long type) => Type = type;

    /// <summary>The id, or -1 if it is derived from the name.</summary>
    public long Type { get; }

    /// <summary>The <see cref="MessageContract.Version"/> of the contract (1 or more; default: 1).</summary>
    public int Version { get; set; } = 1;

    /// <summary>Whether each field is sent with its number and length, so that fields may be removed and moved (default: <c>false</c>). Each field needs a <see cref="MessageFieldAttribute"/>.</summary>
    public bool VersionTolerant { get; set; }

    /// <summary>Whether dispatchers deserialize into a pooled instance, which returns to its pool after the handler (default: <c>false</c>). Classes only.</summary>
    /// <remarks>
    /// The handler must not keep the instance, and must not assign its own collections to it. Copy data that has to live longer.
    /// Lists, dictionaries and the pooled messages in the instance are pooled too; arrays are allocated.
    /// </remarks>
    public bool Pooled { get; set; }

    /// <summary>The <see cref="IMessageCompressor"/> of the payloads, a type with a constructor without parameters (default: <c>null</c>, no compression).</summary>
    public Type? Compressor { get; set; }

    /// <summary>The minimum size of a payload to compress, in bytes (default: 256).</summary>
    public int CompressionThreshold { get; set; } = 256;
}

/// <summary>Adds a case to a union: a type that an interface or an abstract class can be in a message. Each case is a message itself.</summary>
/// <param name="tag">The tag of the case on the wire (0–268435455; the first 128 take one byte). Never reuse a tag.</param>
/// <param name="type">The type of the case.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface, Inherited = false, AllowMultiple = true)]
public sealed class MessageUnionAttribute(int tag, Type type) : Attribute
{
    /// <summary>The tag of the case on the wire.</summary>
    public int Tag { get; } = tag;

    /// <summary>The type of the case.</summary>
    public Type Type { get; } = type;
}
