namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts of this side as a handshake announces and compares them.</summary>
internal sealed class ContractAnnouncement(MessageContract[] contracts, byte[] bytes, ContractLayouts layouts)
{
    /// <summary>The contracts.</summary>
    public readonly MessageContract[] Contracts = contracts;

    /// <summary>The serialized announcement.</summary>
    public readonly byte[] Bytes = bytes;

    /// <summary>The layouts, whose first lines belong to <see cref="Contracts"/>.</summary>
    public readonly ContractLayouts Layouts = layouts;

    private AnnouncedContracts? _index;

    /// <summary>The announcement as a peer reads it.</summary>
    public AnnouncedContracts Index => _index ??= AnnouncedContracts.TryRead(Bytes)!;

    /// <summary>Writes the announcement of contracts.</summary>
    public static ContractAnnouncement Of(MessageContract[] contracts)
    {
        var layouts = LayoutLines.Of(contracts);
        return new ContractAnnouncement(contracts, ContractDescriptor.WriteAll(contracts, layouts), layouts);
    }
}
