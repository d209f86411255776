namespace Reloaded.Messaging.Generators.Model;

/// <summary>A member's type, as it is written in C# and on the wire.</summary>
/// <param name="Kind">The form.</param>
/// <param name="Name">The C# type, fully qualified, without annotations.</param>
/// <param name="Code">What the shape's hash knows it by: types with one code are read and written alike.</param>
/// <param name="MayBeNull">Whether null is a value. False for value types.</param>
/// <param name="IsReference">Whether it is a class, an interface or an array.</param>
/// <param name="MinBytes">The least that it takes on the wire.</param>
/// <param name="Memory">What it takes in an array, in bytes; roughly where only the runtime knows.</param>
/// <param name="Method">For <see cref="WireKind.Value"/>, what follows Read and Write in the methods' names.</param>
/// <param name="Element">What a collection or a nullable holds.</param>
/// <param name="Key">A dictionary's key.</param>
/// <param name="Serializer">A message's generated serializer.</param>
/// <param name="IsPooled">Whether it is a message that can be rented.</param>
/// <param name="HoldsReferences">Whether it is a message that is a struct and refers to other objects.</param>
internal sealed record WireType(
    WireKind Kind,
    string Name,
    string Code,
    bool MayBeNull,
    bool IsReference,
    int MinBytes,
    int Memory,
    string? Method = null,
    WireType? Element = null,
    WireType? Key = null,
    string? Serializer = null,
    bool IsPooled = false,
    bool HoldsReferences = false)
{
    /// <summary>Whether it is read and written by a method that is generated for it.</summary>
    public bool IsComposite => Kind is WireKind.Nullable or WireKind.Array or WireKind.List or WireKind.Dictionary or WireKind.Message;

    /// <summary>Whether a message that is reset has something to give back or to let go of here.</summary>
    public bool IsCollection => Kind is WireKind.Array or WireKind.List or WireKind.Dictionary;
}
