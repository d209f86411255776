namespace Reloaded.Messaging;

/// <summary>Declares the contract of a closed type of a generic message, so that it can be sent by itself. A member needs no declaration.</summary>
/// <remarks>
/// The generic type is marked <see cref="MessageAttribute"/> without an id. Declare a closed type in the assembly that declares the generic type
/// or one of the type arguments, so that no other assembly declares it too.
/// </remarks>
/// <param name="messageType">The closed type.</param>
/// <param name="type">The id (0–4294967295; default: -1, an id that is derived from the name).</param>
/// <example><code>
/// [assembly: GenericMessage(typeof(Page&lt;Mod&gt;), 12)]
///
/// using var packed = new MessageWriter().Pack(new Page&lt;Mod&gt;([new Mod("maps")], 1));
///
/// [Message] public sealed record Page&lt;T&gt;(List&lt;T&gt; Items, int Total);
/// [Message] public sealed record Mod(string Name);
/// </code></example>
[AttributeUsage(AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class GenericMessageAttribute(Type messageType, long type = -1) : Attribute
{
    /// <summary>The closed type.</summary>
    public Type MessageType { get; } = messageType;

    /// <summary>The id, or -1 if it is derived from the name.</summary>
    public long Type { get; } = type;
}
