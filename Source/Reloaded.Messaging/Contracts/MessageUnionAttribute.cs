using System;

namespace Reloaded.Messaging;

/// <summary>Names one of the types that an interface or an abstract class stands for in a message. Each is a message itself.</summary>
/// <param name="tag">What says on the wire that it is this one: 0 to 268435455, the first 128 in one byte. Never reuse one.</param>
/// <param name="type">The type.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface, Inherited = false, AllowMultiple = true)]
public sealed class MessageUnionAttribute(int tag, Type type) : Attribute
{
    /// <summary>What says on the wire that it is this one.</summary>
    public int Tag { get; } = tag;

    /// <summary>The type.</summary>
    public Type Type { get; } = type;
}
