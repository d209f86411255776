namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>A field of a contract, or a type of a union.</summary>
/// <param name="Number">The field's number, or the tag of a union's type.</param>
/// <param name="Name">The member's name, or the full name of a union's type.</param>
/// <param name="Type">The code, with a question mark after each reference that may be null.</param>
/// <param name="Code">The code, as shapes contain it.</param>
/// <param name="Default">The value of a missing field as JSON; <see langword="null"/> for the default of the type.</param>
/// <param name="Shape">The field's entry in the shape.</param>
internal sealed record SchemaField(long Number, string Name, string Type, string Code, string? Default, ulong Shape);
