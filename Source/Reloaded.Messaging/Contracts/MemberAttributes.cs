namespace Reloaded.Messaging;

/// <summary>The number by which a version-tolerant message knows a field. Never give a removed field's number to another.</summary>
/// <param name="number">0 to 268435455; the first 128 take one byte.</param>
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

/// <summary>Sends the values of a type as values of another type, the surrogate. On an assembly, for all members of its messages; on a member, for this member, also inside its collections.</summary>
/// <remarks>
/// The converter is a class or struct with one or more pairs of accessible methods: <c>static S ToSurrogate(T value)</c> and <c>static bool TryFromSurrogate(S surrogate, out T value)</c>.
/// <c>S</c> is any type that can be sent, and not nullable. Null is sent as null, without a call. A payload is refused if the second method returns <see langword="false"/>.
/// An exception of a method is the cause of an <see cref="InvalidOperationException"/> that names the member. Any thread may call the methods, several at once.
/// </remarks>
/// <param name="converter">The type with the methods.</param>
[AttributeUsage(AttributeTargets.Assembly | AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter, AllowMultiple = true)]
public sealed class MessageConverterAttribute(Type converter) : Attribute
{
    /// <summary>The type with the methods.</summary>
    public Type Converter { get; } = converter;
}
