using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Sends and receives in pieces of random size, from a seed.</summary>
internal static class Traffic
{
    public const int MoreThanAnyBufferHolds = 32 << 20;

    private const int LargestPiece = 200_000;

    public static byte[] Noise(int length, int seed)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    /// <summary>Sends from one buffer, which is overwritten as soon as a send is done.</summary>
    public static async Task SendInPiecesAsync(TransportChannel channel, byte[] bytes, int seed)
    {
        var sizes = new Random(seed);
        var buffer = new byte[LargestPiece];
        for (var sent = 0; sent < bytes.Length;)
        {
            var size = Math.Min(1 + sizes.Next(sizes.Next(1, LargestPiece)), bytes.Length - sent);
            bytes.AsSpan(sent, size).CopyTo(buffer);
            await channel.SendAsync(buffer.AsMemory(0, size), default);
            buffer.AsSpan(0, size).Fill(0xEE);
            sent += size;
        }
    }

    public static async Task<byte[]> ReceiveInPiecesAsync(TransportChannel channel, int length, int seed)
    {
        var sizes = new Random(seed);
        var bytes = new byte[length];
        for (var received = 0; received < length;)
        {
            var size = Math.Min(1 + sizes.Next(sizes.Next(1, LargestPiece)), length - received);
            var more = await channel.ReceiveAsync(bytes.AsMemory(received, size), default).AsTask().InTime();
            if (more == 0)
                throw new InvalidOperationException($"The end came after {received} of {length} bytes.");
            received += more;
        }

        return bytes;
    }

    /// <summary>Compares bytes, and names the first that differs.</summary>
    public static void AssertSame(byte[] expected, byte[] actual)
    {
        Assert.Equal(expected.Length, actual.Length);
        if (expected.AsSpan().SequenceEqual(actual))
            return;
        var first = 0;
        while (expected[first] == actual[first])
            first++;
        Assert.Fail($"Byte {first} of {expected.Length} is {actual[first]:X2} instead of {expected[first]:X2}.");
    }

    /// <summary>Receives until the end, and says how many bytes came.</summary>
    public static async Task<int> CountToEndAsync(TransportChannel channel, CancellationToken cancellationToken = default)
    {
        var buffer = new byte[64 * 1024];
        for (var total = 0; ;)
        {
            var more = await channel.ReceiveAsync(buffer, cancellationToken).AsTask().InTime();
            if (more == 0)
                return total;
            total += more;
        }
    }
}
