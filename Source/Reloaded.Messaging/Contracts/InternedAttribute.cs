using System;

namespace Reloaded.Messaging;

/// <summary>Reads repeated strings, such as mod ids, from a bounded cache instead of allocating each of them.</summary>
/// <remarks>On a member, it applies to the member's strings and those in its collections; on a type, to all of its strings. Strings of more than 1,024 bytes are not cached.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter | AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class InternedAttribute : Attribute;
