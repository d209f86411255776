namespace Reloaded.Messaging;

/// <summary>Sends a member that is not public. The message and the types around it are <c>partial</c> and not generic, and the member is accessible in the message.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
public sealed class MessageIncludeAttribute : Attribute;
