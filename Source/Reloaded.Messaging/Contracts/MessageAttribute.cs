using System;

namespace Reloaded.Messaging;

/// <summary>Makes a struct, class, record or record struct a message: its contract and serializer are generated when it is compiled.</summary>
/// <remarks>
/// What travels: public properties and fields that can be set or that a constructor takes, in the order of their declaration, base classes first.
/// New ones go to the end; see docs/binary-format.md. On an interface or an abstract class it makes a union of the types that
/// <see cref="MessageUnionAttribute"/> names. Declared as the assembly is loaded; where the target has no module initializers,
/// by a call of the generated <c>MessageContracts.Declare()</c>.
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Interface, Inherited = false)]
public sealed class MessageAttribute : Attribute
{
    /// <summary>Derives the id from the type's full name: the same in every build, between 2097152 and 268435455, four bytes in the header.</summary>
    public MessageAttribute() => Type = -1;

    /// <summary>Sets the id.</summary>
    /// <param name="type">0 to 4294967295; up to 126 the header is one byte.</param>
    public MessageAttribute(long type) => Type = type;

    /// <summary>The id; -1 if it is derived.</summary>
    public long Type { get; }

    /// <summary>The contract's <see cref="MessageContract.Version"/>: 1 or more.</summary>
    public int Version { get; set; } = 1;

    /// <summary>Whether each field travels behind its number and length, so that fields may be removed and moved. Each needs a <see cref="MessageFieldAttribute"/>.</summary>
    public bool VersionTolerant { get; set; }

    /// <summary>Whether dispatchers deserialize into a rented instance, which goes back to its pool when the handler has returned. Classes only.</summary>
    /// <remarks>
    /// The handler must not keep the instance, nor put collections of its own into it. To keep what it says, copy that.
    /// Lists and dictionaries are rented too, and so are pooled messages inside of it; arrays are new.
    /// </remarks>
    public bool Pooled { get; set; }

    /// <summary>The <see cref="IMessageCompressor"/> that compresses payloads, with a constructor without parameters; null for none.</summary>
    public Type? Compressor { get; set; }

    /// <summary>The smallest payload that is compressed, in bytes.</summary>
    public int CompressionThreshold { get; set; } = 256;
}
