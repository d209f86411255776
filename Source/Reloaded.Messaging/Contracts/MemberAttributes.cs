using System;

namespace Reloaded.Messaging;

/// <summary>The number by which a version-tolerant message knows a field. Never give a removed field's number to another.</summary>
/// <param name="number">1 to 268435455; the first 127 take one byte.</param>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class MessageFieldAttribute(int number) : Attribute
{
    /// <summary>The field's number.</summary>
    public int Number { get; } = number;

    /// <summary>The name of the field in earlier versions, if it was renamed (default: <see langword="null"/>). Without it, a host takes another name for a number that was reused, and refuses the contract.</summary>
    public string? FormerName { get; set; }
}

/// <summary>Excludes a member from the message.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
public sealed class MessageIgnoreAttribute : Attribute;

/// <summary>Reads repeated strings, such as mod ids, from a bounded cache instead of allocating each of them.</summary>
/// <remarks>On a member, it applies to the member's strings and those in its collections; on a type, to all of its strings. Strings of more than 1,024 bytes are not cached.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter | AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class InternedAttribute : Attribute;

/// <summary>Marks a member as secret. Every buffer that held a message with the member is zeroed before its next use, and so are byte arrays in pooled messages.</summary>
/// <remarks>Strings cannot be zeroed. Keep a secret in a <c>byte[]</c>, and zero your own copy.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class SecretAttribute : Attribute;
