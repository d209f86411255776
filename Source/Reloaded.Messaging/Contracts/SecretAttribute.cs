using System;

namespace Reloaded.Messaging;

/// <summary>Marks a member as secret: every buffer that held a message with it is zeroed before its next use, and so are arrays of bytes in pooled messages.</summary>
/// <remarks>Strings can't be zeroed. Keep a secret in a <c>byte[]</c>, and zero your own copy.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter)]
public sealed class SecretAttribute : Attribute;
