using System;

namespace Reloaded.Messaging;

/// <summary>Excludes a member from the message.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
public sealed class MessageIgnoreAttribute : Attribute;
