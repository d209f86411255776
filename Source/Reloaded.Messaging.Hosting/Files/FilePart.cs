using System.Buffers;
using System.IO;
using System.Security.Cryptography;

namespace Reloaded.Messaging.Hosting;

/// <summary>The part of a file that a receiver already has. Both sides compare its hash before a transfer continues after the part.</summary>
internal static class FilePart
{
    /// <summary>The size of a SHA-256 hash, in bytes.</summary>
    public const int HashSize = 32;

    private const int BufferSize = 256 * 1024;

    /// <summary>Returns the hash of the first bytes of a stream. The stream is then at their end.</summary>
    /// <param name="stream">A stream that can seek.</param>
    /// <param name="length">The number of bytes. The hash of an empty part is empty.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>The hash, or <c>null</c> if the stream is shorter.</returns>
    public static async Task<byte[]?> HashAsync(Stream stream, long length, CancellationToken cancellationToken)
    {
        stream.Position = 0;
        if (length == 0)
            return [];
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        try
        {
            while (length > 0)
            {
                var read = await stream.ReadAsync(buffer.AsMemory(0, (int)Math.Min(length, buffer.Length)), cancellationToken).ConfigureAwait(false);
                if (read == 0)
                    return null;
                hash.AppendData(buffer, 0, read);
                length -= read;
            }

            return hash.GetHashAndReset();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
