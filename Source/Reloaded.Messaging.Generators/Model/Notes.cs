namespace Reloaded.Messaging.Generators.Model;

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
internal sealed record ContractUse(ContractRole Role, bool? HasReply, long? Reply, string? Service, string? CompressorName);

/// <summary>The roles of a message.</summary>
internal enum ContractRole
{
    /// <summary>The declaration of the message does not name a role.</summary>
    Unknown,
    Event,
    Request,
    Reply,
}

/// <summary>What the schema says of an enum or a plain struct.</summary>
/// <param name="Notes">The notes of the type.</param>
/// <param name="IsFlags">Whether an enum is a combination of flags.</param>
/// <param name="Members">The notes of an enum's members, in the order of the layout.</param>
internal sealed record TypeNotes(Notes Notes, bool IsFlags, EquatableArray<Notes> Members);
