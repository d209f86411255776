using System.Linq;

namespace Reloaded.Messaging.Generators.Model;

/// <summary>The type of a member, in C# and on the wire.</summary>
/// <param name="Kind">The form.</param>
/// <param name="Name">The C# type, fully qualified, without annotations.</param>
/// <param name="Code">The code of the type in the hash of a shape. Types with the same code are read and written in the same way.</param>
/// <param name="MayBeNull">Whether null is a valid value; <c>false</c> for value types.</param>
/// <param name="IsReference">Whether the type is a class, an interface or an array.</param>
/// <param name="MinBytes">The smallest size on the wire, in bytes.</param>
/// <param name="Cost">The cost of an item or a field in the budget of a payload, a constant in C#. Only its own serializer knows that of a struct that is a message, because the struct may be in another assembly.</param>
/// <param name="Method">For <see cref="WireKind.Value"/>, the suffix of the Read and Write methods.</param>
/// <param name="Element">The type of the items of a collection, of the value of a nullable, or of the string that a text is sent as.</param>
/// <param name="Key">The type of a dictionary's keys.</param>
/// <param name="Items">The types of a tuple's items.</param>
/// <param name="Layout">For <see cref="WireKind.Fixed"/>, the code with the members of an enum or a struct, as layouts contain it; <c>null</c> for a number.</param>
/// <param name="ItemNames">The names of a tuple's items; an item without a name has an empty one.</param>
/// <param name="Notes">For an enum or a plain struct, what the schema says of it.</param>
/// <param name="Serializer">The generated serializer of a message.</param>
/// <param name="IsPooled">Whether the type is a message that can be rented.</param>
/// <param name="KeyHash">For a dictionary or a set, a lambda in C# that computes a hash code from all that two keys are compared by; <c>null</c> if only the type of the key knows what that is.</param>
/// <param name="HoldsReferences">Whether the type is a struct that references other objects: a message, an immutable array, or a memory.</param>
/// <param name="Wrapper">For <see cref="WireKind.Wrapped"/>, how a value is converted to and from the type of <paramref name="Element"/>.</param>
internal sealed record WireType(
    WireKind Kind,
    string Name,
    string Code,
    bool MayBeNull,
    bool IsReference,
    int MinBytes,
    string Cost,
    string? Method = null,
    WireType? Element = null,
    WireType? Key = null,
    EquatableArray<WireType>? Items = null,
    string? Layout = null,
    EquatableArray<string>? ItemNames = null,
    TypeNotes? Notes = null,
    string? Serializer = null,
    bool IsPooled = false,
    string? KeyHash = null,
    bool HoldsReferences = false,
    WrapperCode? Wrapper = null)
{
    /// <summary>Whether a value consists of items after a count.</summary>
    public bool IsCollection => Kind is WireKind.Array or WireKind.List or WireKind.HashSet or WireKind.Dictionary || (Kind == WireKind.Wrapped && Wrapper!.Unmake is null && Element!.IsCollection);

    /// <summary>Whether a value is or contains a value that a converter of the program converts.</summary>
    public bool IsConverted => Any(static wrapper => wrapper.Converter is not null);

    /// <summary>Whether a value is or contains a value that a certain converter converts.</summary>
    public bool Uses(string converter) => Any(wrapper => wrapper.Converter == converter);

    private bool Any(Func<WrapperCode, bool> condition) =>
        (Wrapper is not null && condition(Wrapper)) || Element?.Any(condition) == true || Key?.Any(condition) == true || Items?.Any(item => item.Any(condition)) == true;
}
