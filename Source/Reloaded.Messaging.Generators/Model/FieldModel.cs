namespace Reloaded.Messaging.Generators.Model;

/// <summary>A member that is sent.</summary>
/// <param name="Name">The member's name.</param>
/// <param name="Number">The number of the field: its position, from 1, or the number of its attribute.</param>
/// <param name="Type">The type of the field.</param>
/// <param name="IsSecret">Whether the value is cleared when the message is released.</param>
/// <param name="IsInterned">Whether its strings come from the cache.</param>
/// <param name="HasOwnGetter">Whether the getter contains code of the program; <c>false</c> for a getter that the compiler wrote.</param>
/// <param name="Default">The value if the sender did not send the field, in C#; <c>null</c> for the default of the type.</param>
/// <param name="JsonDefault">The same value as JSON, for the schema; <c>null</c> for the default of the type, or for an expression.</param>
internal sealed record FieldModel(string Name, int Number, WireType Type, bool IsSecret, bool IsInterned, bool HasOwnGetter, string? Default, string? JsonDefault = null);
