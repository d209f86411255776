using System;

namespace Reloaded.Messaging;

/// <summary>The number by which a version-tolerant message knows a field. Never give a removed field's number to another.</summary>
/// <param name="number">1 to 268435455; the first 127 take one byte.</param>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class MessageFieldAttribute(int number) : Attribute
{
    /// <summary>The field's number.</summary>
    public int Number { get; } = number;
}
