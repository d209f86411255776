namespace Reloaded.Messaging.Generators.Model;

/// <summary>A member that travels.</summary>
/// <param name="Name">The member's name.</param>
/// <param name="Number">Its number: its place, from 1, or what its attribute says.</param>
/// <param name="Type">What it is.</param>
/// <param name="IsSecret">Whether it is to be cleared.</param>
/// <param name="IsInterned">Whether its strings come from the cache.</param>
/// <param name="HasOwnGetter">Whether reading it runs code that is not the compiler's own.</param>
/// <param name="Default">What it is when the sender didn't know it, in C#; null for its type's own default.</param>
internal sealed record FieldModel(string Name, int Number, WireType Type, bool IsSecret, bool IsInterned, bool HasOwnGetter, string? Default);
