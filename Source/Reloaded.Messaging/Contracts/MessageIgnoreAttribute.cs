using System;

namespace Reloaded.Messaging;

/// <summary>Keeps a member out of the message.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
public sealed class MessageIgnoreAttribute : Attribute;
