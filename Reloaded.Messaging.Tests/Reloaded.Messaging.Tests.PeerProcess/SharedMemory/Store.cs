namespace Reloaded.Messaging.Tests.PeerProcess.SharedMemory;

/// <summary>What a client of the crash tests asks a server to note.</summary>
/// <param name="Line">Which of its connections this is.</param>
/// <param name="Number">One more with each request of the connection.</param>
/// <param name="Bytes">Bytes that follow from the number.</param>
[Message(50)]
public sealed record Store(int Line, long Number, byte[] Bytes)
{
    private const int LargeEvery = 50;

    public static Store Of(int line, long number)
    {
        // Some are larger than the ring.
        var bytes = new byte[number % LargeEvery == 0 ? 20_000 : (int)(number * 37 % 600)];
        for (var i = 0; i < bytes.Length; i++)
            bytes[i] = ByteAt(line, number, i);
        return new Store(line, number, bytes);
    }

    /// <summary>Whether all bytes are those of the line and the number.</summary>
    public bool IsWhole()
    {
        for (var i = 0; i < Bytes.Length; i++)
        {
            if (Bytes[i] != ByteAt(Line, Number, i))
                return false;
        }

        return Bytes.Length == Of(Line, Number).Bytes.Length;
    }

    private static byte ByteAt(int line, long number, int index) => (byte)((number * 31) + (index * 7) + line);
}
