namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts of the messages of streams.</summary>
internal static class StreamContracts
{
    public static readonly MessageContract<StreamOpened> Opened = new(LibraryTypes.StreamOpened, new BlittableSerializer<StreamOpened>([sizeof(uint)]));

    public static readonly MessageContract<StreamPull> Pull = new(LibraryTypes.StreamPull, new BlittableSerializer<StreamPull>([sizeof(uint), 2 * sizeof(uint)]));

    /// <summary>The same for the items of a request. The number is the correlation id of the request.</summary>
    public static readonly MessageContract<StreamPull> ItemPull = new(LibraryTypes.ItemPull, Pull.Serializer);

    /// <summary>The same for the reports of a request. The number is the correlation id of the request.</summary>
    public static readonly MessageContract<StreamPull> ReportPull = new(LibraryTypes.ReportPull, Pull.Serializer);

    /// <summary>The longest time to wait for a reply. The producer may have no items for any time, and the end of the connection ends the wait.</summary>
    public static readonly TimeSpan NoTimeout = TimeSpan.MaxValue;

    /// <summary>The delivery of blocks. Other messages do not wait for them.</summary>
    public static readonly Delivery BlockDelivery = Delivery.ReliableByType(EventDeliveries.OrderOfBlocks);

    private static readonly MessageContract<StreamBlock> s_block = new(LibraryTypes.StreamBlock, new StreamBlockSerializer(isSecret: false));

    private static readonly MessageContract<StreamBlock> s_secretBlock = new(LibraryTypes.StreamBlock, new StreamBlockSerializer(isSecret: true), isSecret: true);

    /// <summary>Returns the contract of blocks. The buffers of blocks with secret items are zeroed after use.</summary>
    public static MessageContract<StreamBlock> GetBlock(bool isSecret) => isSecret ? s_secretBlock : s_block;
}
