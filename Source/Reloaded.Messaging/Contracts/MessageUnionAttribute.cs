using System;

namespace Reloaded.Messaging;

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
