namespace Reloaded.Messaging.Hosting;

/// <summary>A type of message that the two sides know by different contracts.</summary>
/// <param name="Type">The id.</param>
/// <param name="OurName">What the type is called here.</param>
/// <param name="TheirName">What it is called there.</param>
/// <param name="Difference">What differs first: the serializer, the version, or a field.</param>
public sealed record ContractMismatch(uint Type, string OurName, string TheirName, string Difference)
{
    /// <summary>The mismatch, for people.</summary>
    public override string ToString() => $"Type {Type} is {OurName} here and {TheirName} there: {Difference}.";
}
