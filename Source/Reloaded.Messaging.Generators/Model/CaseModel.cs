namespace Reloaded.Messaging.Generators.Model;

/// <summary>One of the types of a union.</summary>
/// <param name="Tag">The number that identifies the type on the wire.</param>
/// <param name="Name">The C# type, fully qualified.</param>
/// <param name="Code">The code of the type in shapes.</param>
/// <param name="Serializer">The generated serializer of the type.</param>
internal sealed record CaseModel(int Tag, string Name, string Code, string Serializer);
