namespace Reloaded.Messaging.Generators.Model;

/// <summary>One of a union's types.</summary>
/// <param name="Tag">What stands for it on the wire.</param>
/// <param name="Name">The C# type, fully qualified.</param>
/// <param name="Code">Its code in shapes.</param>
/// <param name="Serializer">Its generated serializer.</param>
internal sealed record CaseModel(int Tag, string Name, string Code, string Serializer);
