namespace Reloaded.Messaging.Hosting;

/// <summary>Describes a message type whose contracts differ between the two sides.</summary>
public sealed class ContractMismatch
{
    internal ContractMismatch(uint type, string ourName, string theirName, string difference) =>
        (Type, OurName, TheirName, Difference) = (type, ourName, theirName, difference);

    /// <summary>The id.</summary>
    public uint Type { get; }

    /// <summary>The name of the type on this side.</summary>
    public string OurName { get; }

    /// <summary>The name of the type on the remote side.</summary>
    public string TheirName { get; }

    /// <summary>The first difference: the serializer, the version, or what a field is "here", on this side, and "there", on the remote side.</summary>
    public string Difference { get; }

    /// <summary>The path of the field that differs, such as <c>ModList.Mods[].Version</c>; <see langword="null"/> if the serializer or the version of the contract differs.</summary>
    public string? Path { get; init; }

    /// <summary>Returns the mismatch as a sentence.</summary>
    public override string ToString() => $"The contracts of message type {Type} ({OurName} on this side, {TheirName} on the remote side) differ: {Difference}.";
}
