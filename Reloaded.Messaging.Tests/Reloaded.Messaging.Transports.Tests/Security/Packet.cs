namespace Reloaded.Messaging.Tests.Security;

/// <summary>A sealed packet, with what travels beside it.</summary>
internal sealed record Packet(byte Epoch, ulong Number, byte[] Bytes)
{
    public static Packet Seal(PacketSealer sealer, byte[] plain)
    {
        var bytes = new byte[plain.Length + TrafficKey.TagSize];
        var epoch = sealer.Seal(plain, bytes, out var number);
        return new Packet((byte)epoch, number, bytes);
    }

    /// <summary>What is in it.</summary>
    public byte[] Opened(PacketOpener opener)
    {
        var (status, plain) = Open(opener);
        return status == OpenStatus.Ok ? plain : throw new InvalidOperationException($"It is {status}.");
    }

    public (OpenStatus Status, byte[] Plain) Open(PacketOpener opener)
    {
        var plain = new byte[Math.Max(0, Bytes.Length - TrafficKey.TagSize)];
        return (opener.TryOpen(Epoch, Number, Bytes, plain), plain);
    }

    public OpenStatus OpenNext(PacketOpener opener) => opener.TryOpenNext(Epoch, Bytes, new byte[Bytes.Length]);
}
