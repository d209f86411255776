namespace Reloaded.Messaging.Generators.Model;

/// <summary>All that is known of a message: what the emitters write from, and what is compared to see whether they have to.</summary>
/// <param name="Name">The C# type, fully qualified.</param>
/// <param name="DisplayName">The same without <c>global::</c>, for people.</param>
/// <param name="Serializer">The generated class's name, without its namespace.</param>
/// <param name="IsPublic">Whether other assemblies see the type.</param>
/// <param name="IsForbidden">Whether only code that is obsolete itself may use it.</param>
/// <param name="IsValueType">Whether it is a struct.</param>
/// <param name="Id">The type on the wire.</param>
/// <param name="Version">The contract's version.</param>
/// <param name="IsVersionTolerant">Whether fields travel behind their numbers.</param>
/// <param name="IsPooled">Whether instances are rented.</param>
/// <param name="IsSecret">Whether it or a message in it has a secret member.</param>
/// <param name="Compressor">The compressor's C# type; null for none.</param>
/// <param name="CompressionThreshold">The smallest payload that is compressed.</param>
/// <param name="Construction">How an instance comes to be.</param>
/// <param name="Fields">What travels, in order.</param>
/// <param name="Arguments">What its constructor is given.</param>
/// <param name="Initialized">The fields that an object initializer sets behind the constructor.</param>
/// <param name="Cases">A union's types; empty for anything else.</param>
/// <param name="BlittableEnds">Where fields end in a struct that is sent as its own bytes; empty for anything else.</param>
/// <param name="Memory">What an instance takes, in bytes, roughly.</param>
internal sealed record MessageModel(
    string Name,
    string DisplayName,
    string Serializer,
    bool IsPublic,
    bool IsForbidden,
    bool IsValueType,
    uint Id,
    int Version,
    bool IsVersionTolerant,
    bool IsPooled,
    bool IsSecret,
    string? Compressor,
    int CompressionThreshold,
    Construction Construction,
    EquatableArray<FieldModel> Fields,
    EquatableArray<ArgumentModel> Arguments,
    EquatableArray<string> Initialized,
    EquatableArray<CaseModel> Cases,
    EquatableArray<int> BlittableEnds,
    int Memory)
{
    public bool IsUnion => Cases.Count > 0;

    public bool IsBlittable => BlittableEnds.Count > 0;
}
