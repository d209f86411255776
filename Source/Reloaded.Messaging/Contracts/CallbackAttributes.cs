namespace Reloaded.Messaging;

/// <summary>Calls a method of a message before the message is serialized, also inside of another message, on the sending thread. The method has no parameters, returns <c>void</c> and is synchronous.</summary>
/// <remarks>A method of a struct changes a copy, which is then sent. If the method throws, sending throws an <see cref="InvalidOperationException"/> that names it.</remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BeforeWritingAttribute : Attribute;

/// <summary>Calls a method of a message after all members were received and before the handler, also inside of another message. The method has no parameters, returns <c>void</c> and is synchronous.</summary>
/// <remarks>If the method throws, dispatching throws an <see cref="InvalidOperationException"/> that names it, as for a setter that throws.</remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class AfterReadingAttribute : Attribute;
