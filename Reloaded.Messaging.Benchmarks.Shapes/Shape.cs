namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>A form of a type that a program may want to send.</summary>
/// <param name="Name">The name in the table.</param>
/// <param name="Source">The declarations. The message is <c>M</c>, or what <paramref name="Type"/> says. Marks such as <c>{M}</c> stand for the attributes of a library.</param>
/// <param name="Value">The C# expression of the value that is sent.</param>
/// <param name="Type">The C# type of the message.</param>
public sealed record Shape(string Name, string Source, string Value, string Type = "M");
