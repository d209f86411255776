namespace Reloaded.Messaging.Generators.Model;

/// <summary>The forms that docs/specification/binary-format.md defines.</summary>
internal enum WireKind
{
    /// <summary>Numbers, characters, enums, and structs that are sent as their bytes. They are copied one by one or in blocks.</summary>
    Fixed,

    /// <summary>A value with its own method in the reader and the writer: <c>bool</c>, <c>Guid</c>, times, <c>decimal</c>.</summary>
    Value,

    /// <summary>A value that the generated code itself takes apart into numbers: newer types of the framework, which the older targets of the core lack.</summary>
    Parts,
    String,

    /// <summary>A class of the framework that is sent as a string: <c>Uri</c>, <c>Version</c>.</summary>
    Text,
    Nullable,

    /// <summary>A value tuple: its items, one after the other.</summary>
    Tuple,
    Array,
    List,
    HashSet,
    Dictionary,

    /// <summary>A type that is sent like another type: a collection like an array, a list, a set or a dictionary, or a value like its surrogate.</summary>
    Wrapped,
    Message,
}
