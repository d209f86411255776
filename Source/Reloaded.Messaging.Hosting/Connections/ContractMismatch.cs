namespace Reloaded.Messaging.Hosting;

/// <summary>Describes a message type whose contracts differ between the two sides.</summary>
/// <param name="Type">The id.</param>
/// <param name="OurName">The name of the type on this side.</param>
/// <param name="TheirName">The name of the type on the remote side.</param>
/// <param name="Difference">The first difference: the serializer, the version, or a field.</param>
public sealed record ContractMismatch(uint Type, string OurName, string TheirName, string Difference)
{
    /// <summary>Returns the mismatch as a sentence.</summary>
    public override string ToString() => $"The contracts of message type {Type} ({OurName} on this side, {TheirName} on the remote side) differ: {Difference}.";
}
