using System.Runtime.InteropServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Datagrams;

/// <summary>The datagrams that two processes exchange: numbered, each with bytes that follow from its number alone.</summary>
public static class DatagramTraffic
{
    /// <summary>Bytes of a message: two don't fit into one datagram.</summary>
    public const int Size = 700;

    private const int PacketsPerKey = 5000;

    public static MessageContract<ReadOnlyMemory<byte>> Contract { get; } = new(90, new RawSerializer());

    /// <summary>What both processes are given: encrypted, with a new key every few thousand, and with no other datagrams in between.</summary>
    public static MessageHostOptions Options() => new()
    {
        Protection = ProtectionOptions.WithSecret(new byte[32]).RotatingAfter(PacketsPerKey),
        PingInterval = TimeSpan.FromHours(1),
        KeepAliveTimeout = TimeSpan.FromHours(1),
    };

    public static byte[] Make(int number)
    {
        var message = new byte[Size];
        var words = MemoryMarshal.Cast<byte, int>(message.AsSpan());
        for (var i = 0; i < words.Length; i++)
            words[i] = unchecked(number + (i * (int)0x9E3779B9));
        return message;
    }
}
