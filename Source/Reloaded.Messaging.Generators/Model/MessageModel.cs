using System.Linq;

namespace Reloaded.Messaging.Generators.Model;

/// <summary>The model of a message. The emitters write code from it, and the generator compares it to detect changes.</summary>
/// <param name="Name">The C# type, fully qualified.</param>
/// <param name="DisplayName">The C# type without <c>global::</c>, for messages to the user.</param>
/// <param name="Serializer">The name of the generated class, without its namespace.</param>
/// <param name="IsPublic">Whether the generated class is visible to other assemblies.</param>
/// <param name="IsForbidden">Whether only obsolete code may use the type.</param>
/// <param name="IsValueType">Whether the type is a struct.</param>
/// <param name="Id">The id of the message on the wire.</param>
/// <param name="Version">The version of the contract.</param>
/// <param name="IsVersionTolerant">Whether each field is preceded by its number.</param>
/// <param name="IsPooled">Whether instances are rented.</param>
/// <param name="IsSecret">Whether the message or a message inside it has a secret member.</param>
/// <param name="Compressor">The C# type of the compressor; <c>null</c> for no compression.</param>
/// <param name="CompressionThreshold">The smallest payload that is compressed, in bytes.</param>
/// <param name="Construction">How an instance is constructed.</param>
/// <param name="Fields">The serialized fields, in order.</param>
/// <param name="Arguments">The arguments of the constructor.</param>
/// <param name="Initialized">The fields that an object initializer sets after the constructor.</param>
/// <param name="Cases">The types of a union; empty for other messages.</param>
/// <param name="BlittableEnds">The end offsets of the fields in a struct that is sent as its bytes; empty for other messages.</param>
/// <param name="Cost">The cost of an instance in the budget of a payload, a constant in C#.</param>
/// <param name="Notes">The documentation, for the schema.</param>
/// <param name="Use">The role and the reply, for the schema.</param>
/// <param name="Declaration">The declarations of the type and of what is around it, if generated code is inside of the type; otherwise, empty.</param>
/// <param name="IsCreatedInside">Whether only code inside of the type can create it.</param>
/// <param name="Callbacks">The methods that are called before an instance is written, and after it was read.</param>
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
    string Cost,
    Notes Notes,
    ContractUse Use,
    EquatableArray<string> Declaration,
    bool IsCreatedInside,
    EquatableArray<CallbackModel> Callbacks)
{
    /// <summary>The cost of an instance, including part of the lists and dictionaries that it creates even if the payload does not contain them.</summary>
    /// <remarks>The bytes of a field pay for its cost, and the byte of the length for the rest. So a message that is sent in full is never refused because of its cost.</remarks>
    public static string CostOf(IEnumerable<FieldModel> fields) => string.Join(" + ", fields.Select(static field =>
        field.Type.Cost + (IsCreated(field.Type) ? " + 24" : "")).Prepend("8"));

    /// <summary>Whether a collection is created for a field that the payload does not contain. An array without items is not created again.</summary>
    private static bool IsCreated(WireType type) => type is { IsCollection: true, IsReference: true, MayBeNull: false, Kind: not WireKind.Array } && type is not { Element.Kind: WireKind.Array, Wrapper.Make: "{0}" };

    /// <summary>The members that are set in an instance from which the values of missing fields are taken.</summary>
    public IEnumerable<string> InitiallySet() => Initialized.Where(name => !Fields.Any(field => field.IsInitial && field.Name == name));

    public bool HasCallbacks(bool isAfterReading) => Callbacks.Any(one => one.IsAfterReading == isAfterReading);

    public bool IsUnion => Cases.Count > 0;

    public bool IsBlittable => BlittableEnds.Count > 0;
}

/// <summary>How an instance is constructed.</summary>
internal enum Construction
{
    /// <summary>The instance is constructed first, then each member is set. Members that the sender did not send keep the value from the constructor.</summary>
    Setters,

    /// <summary>The instance is constructed from all values at once: by a constructor with parameters, an object initializer, or the combination.</summary>
    Values,
}

/// <summary>A member that is sent.</summary>
/// <param name="Name">The member's name.</param>
/// <param name="Number">The number of the field: its position, from 1, or the number of its attribute.</param>
/// <param name="Type">The type of the field.</param>
/// <param name="IsSecret">Whether the value is cleared when the message is released.</param>
/// <param name="IsInterned">Whether its strings come from the cache.</param>
/// <param name="HasOwnGetter">Whether the getter contains code of the program; <c>false</c> for a getter that the compiler wrote.</param>
/// <param name="Default">The value if the sender did not send the field, in C#; <c>null</c> for the default of the type, or if only the running program knows the value.</param>
/// <param name="JsonDefault">The same value as JSON, for the schema.</param>
/// <param name="IsComputed">Whether only the running program knows that value.</param>
/// <param name="IsInitial">Whether that value is taken from a new instance, if the instance is constructed from all values at once.</param>
/// <param name="FormerName">The name of the field in earlier versions of a version-tolerant message; <c>null</c> if it had no other name.</param>
/// <param name="Notes">The documentation, for the schema.</param>
/// <param name="IsHidden">Whether only code inside of the type can read the member or set it.</param>
internal sealed record FieldModel(string Name, int Number, WireType Type, bool IsSecret, bool IsInterned, bool HasOwnGetter, string? Default, string? JsonDefault = null, bool IsComputed = false, bool IsInitial = false, string? FormerName = null, Notes? Notes = null, bool IsHidden = false)
{
    /// <summary>Whether a missing field is zero.</summary>
    public bool IsZero => !IsComputed && JsonDefault is null or "0" or "\"0\"" or "false";
}

/// <summary>A method of a message that generated code calls.</summary>
/// <param name="Method">The name.</param>
/// <param name="IsAfterReading">Whether it is called after an instance was read; <c>false</c> for before it is written.</param>
/// <param name="IsHidden">Whether only code inside of the type can call it.</param>
internal sealed record CallbackModel(string Method, bool IsAfterReading, bool IsHidden);

/// <summary>An argument of a constructor call.</summary>
/// <param name="Parameter">The parameter's name.</param>
/// <param name="Type">Its C# type, fully qualified.</param>
/// <param name="Field">The field that is passed, or <c>null</c> for a member that is excluded from the message.</param>
internal sealed record ArgumentModel(string Parameter, string Type, string? Field);

/// <summary>One of the types of a union.</summary>
/// <param name="Tag">The number that identifies the type on the wire.</param>
/// <param name="Name">The C# type, fully qualified.</param>
/// <param name="Code">The code of the type in shapes.</param>
/// <param name="Serializer">The generated serializer of the type.</param>
internal sealed record CaseModel(int Tag, string Name, string Code, string Serializer);

/// <summary>What the schema says of a declaration for the author of a program in another language.</summary>
/// <param name="Documentation">The summary in one line; <c>null</c> if there is none.</param>
/// <param name="Obsolete">The text of <c>[Obsolete]</c>; <c>null</c> without the attribute.</param>
internal sealed record Notes(string? Documentation, string? Obsolete);

/// <summary>The use of a contract, as the schema names it.</summary>
/// <param name="Role">The role that the declaration gives to the message.</param>
/// <param name="HasReply">Whether a request has a reply with content; <c>null</c> for other messages.</param>
/// <param name="Reply">The id of the reply; <c>null</c> if there is none, or if it is not a message with an attribute.</param>
/// <param name="Service">The full name of the service with this message.</param>
/// <param name="CompressorName">The name of the compressor on the wire; <c>null</c> if it is known at run time only.</param>
/// <param name="Item">The id of the items of a reply that is a stream; <c>null</c> for none.</param>
/// <param name="Sent">The id of the items that are sent with a request; <c>null</c> for none.</param>
/// <param name="Report">The id of the reports of the progress of a request; <c>null</c> for none.</param>
internal sealed record ContractUse(ContractRole Role, bool? HasReply, long? Reply, string? Service, string? CompressorName, long? Item = null, long? Sent = null, long? Report = null);

/// <summary>The roles of a message.</summary>
internal enum ContractRole
{
    /// <summary>The declaration of the message does not name a role.</summary>
    Unknown,
    Event,
    Request,
    Reply,

    /// <summary>A request whose reply is a stream.</summary>
    Stream,
}

/// <summary>What the schema says of an enum or a plain struct.</summary>
/// <param name="Notes">The notes of the type.</param>
/// <param name="IsFlags">Whether an enum is a combination of flags.</param>
/// <param name="Members">The notes of an enum's members, in the order of the layout.</param>
internal sealed record TypeNotes(Notes Notes, bool IsFlags, EquatableArray<Notes> Members);
