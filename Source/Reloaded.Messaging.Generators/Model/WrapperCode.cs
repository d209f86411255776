namespace Reloaded.Messaging.Generators.Model;

/// <summary>A type that is sent like another type, the base: how the base is taken from a value, and how a value is made of it.</summary>
/// <param name="Make">The C# expression that makes the value of the base, for which <c>{0}</c> stands.</param>
/// <param name="Items">For a collection, the C# expression of what has the items and their count, from a variable <c>value</c>.</param>
/// <param name="IsSpan">Whether that expression is a span.</param>
/// <param name="Known">For a type that collections of other types derive from, the types that are written faster than by enumeration.</param>
/// <param name="Comparer">For a set or a dictionary, the C# expression of its comparer; <c>null</c> if the type does not tell it.</param>
/// <param name="IsSorted">Whether a comparer other than the default one is checked only if it does not compare strings.</param>
/// <param name="IsReversed">Whether the last item is added first.</param>
/// <param name="IsUnset">The C# condition, after the name of a field, under which a struct was never set; <c>null</c> if its default value is valid.</param>
/// <param name="ListName">For a list, the name of its kind in a schema.</param>
/// <param name="Unmake">For a type that is no collection, the C# expression of the base, from a variable <c>value</c>.</param>
/// <param name="Check">The C# condition under which the base, for which <c>{0}</c> stands, is such a value; <c>null</c> if each is.</param>
/// <param name="Missing">The C# expression of the value of a field that the sender did not send and that is never null; <c>null</c> if that value is made of an empty base.</param>
/// <param name="Converter">The C# type of the program whose methods convert a value, for exceptions; <c>null</c> if the library converts it. The method of <paramref name="Make"/> then takes the base and gives the value by an <c>out</c> parameter.</param>
/// <param name="Rank">The number of dimensions of an array with more than one; 0 for other types. Its items are read and written without a copy in the form of the base.</param>
internal sealed record WrapperCode(
    string Make,
    string Items = "value",
    bool IsSpan = false,
    EquatableArray<WireType>? Known = null,
    string? Comparer = null,
    bool IsSorted = false,
    bool IsReversed = false,
    string? IsUnset = null,
    string ListName = "list",
    string? Unmake = null,
    string? Check = null,
    string? Missing = null,
    string? Converter = null,
    int Rank = 0);
