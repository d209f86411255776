using System;

namespace Reloaded.Messaging;

/// <summary>Marks a member as secret. Every buffer that held a message with the member is zeroed before its next use, and so are byte arrays in pooled messages.</summary>
/// <remarks>Strings cannot be zeroed. Keep a secret in a <c>byte[]</c>, and zero your own copy.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class SecretAttribute : Attribute;
