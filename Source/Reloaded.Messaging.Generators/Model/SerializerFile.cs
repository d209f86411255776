namespace Reloaded.Messaging.Generators.Model;

/// <summary>The generated file of a message.</summary>
/// <param name="Serializer">The name of its class.</param>
/// <param name="Text">The C# code.</param>
/// <param name="Methods">The shared methods that the code calls.</param>
internal sealed record SerializerFile(string Serializer, string Text, EquatableArray<TypeMethod> Methods);
