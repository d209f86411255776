namespace Reloaded.Messaging.Generators.Model;

/// <summary>The forms that docs/binary-format.md knows.</summary>
internal enum WireKind
{
    /// <summary>Numbers, characters, enums, and structs that are sent as their own bytes: copied, alone or in blocks.</summary>
    Fixed,

    /// <summary>A value that has a method of its own in the reader and the writer: <c>bool</c>, <c>Guid</c>, times, <c>decimal</c>.</summary>
    Value,
    String,
    Nullable,
    Array,
    List,
    Dictionary,
    Message,
}
