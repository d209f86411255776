using System;

namespace Reloaded.Messaging;

/// <summary>Takes strings that repeat, such as mod ids, from a bounded cache when they are read, in place of making each anew.</summary>
/// <remarks>On a member, its strings and those in its collections; on a type, all of its strings. Strings of more than 1024 bytes are not cached.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter | AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class InternedAttribute : Attribute;
