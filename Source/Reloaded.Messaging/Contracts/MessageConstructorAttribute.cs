namespace Reloaded.Messaging;

/// <summary>Chooses the constructor that creates received messages. Its parameters have the names (in any case) and types of members. A constructor that is not public needs a <c>partial</c> type.</summary>
[AttributeUsage(AttributeTargets.Constructor)]
public sealed class MessageConstructorAttribute : Attribute;
