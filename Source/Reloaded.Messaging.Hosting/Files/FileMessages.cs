using System;
using System.Buffers;
using System.Buffers.Binary;
using System.IO;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Offers a file. The receiver pulls its bytes as a stream, and replies when it has all of them.</summary>
internal readonly struct FileOffered(uint number, long length, string name)
{
    /// <summary>The number of the stream with the bytes.</summary>
    public uint Number { get; } = number;

    /// <summary>The length of the file, in bytes.</summary>
    public long Length { get; } = length;

    /// <summary>The name that the sender gave to the file.</summary>
    public string Name { get; } = name;
}

/// <summary>The reply of a receiver that has the whole file.</summary>
internal readonly struct FileReceived(long length)
{
    /// <summary>The length of the file, in bytes.</summary>
    public long Length { get; } = length;
}

/// <summary>Requests a file.</summary>
internal readonly struct FileWanted(string name)
{
    /// <summary>The name of the file, for the handler of the remote side.</summary>
    public string Name { get; } = name;
}

/// <summary>Reports the part of a file that the receiver already has.</summary>
internal readonly struct FileStart(uint number, long offset, byte[] hash)
{
    /// <summary>The number of the stream with the bytes.</summary>
    public uint Number { get; } = number;

    /// <summary>The size of the part, in bytes.</summary>
    public long Offset { get; } = offset;

    /// <summary>The SHA-256 hash of the part; empty if the part is empty.</summary>
    public byte[] Hash { get; } = hash;
}

/// <summary>The offset at which the file continues: that of the part if the file begins with the part; otherwise, 0.</summary>
internal readonly struct FileStarted(long offset)
{
    /// <summary>The offset, in bytes.</summary>
    public long Offset { get; } = offset;
}

/// <summary>The contracts of the messages of file transfers.</summary>
internal static class FileContracts
{
    public static readonly MessageContract<FileOffered> Offered = new(LibraryTypes.FileOffered, new OfferedSerializer());

    public static readonly MessageContract<FileReceived> Received = new(LibraryTypes.FileReceived, new BlittableSerializer<FileReceived>([sizeof(long)]));

    public static readonly MessageContract<FileWanted> Wanted = new(LibraryTypes.FileWanted, new WantedSerializer());

    public static readonly MessageContract<FileOffered> Found = new(LibraryTypes.FileFound, Offered.Serializer);

    public static readonly MessageContract<FileStart> Start = new(LibraryTypes.FileStart, new StartSerializer());

    public static readonly MessageContract<FileStarted> Started = new(LibraryTypes.FileStarted, new BlittableSerializer<FileStarted>([sizeof(long)]));

    private static void WriteName(string name, MessageBuffer buffer) => buffer.Advance(Utf8Text.Encode(name, buffer.GetSpan(3 * name.Length)));

    private sealed class OfferedSerializer : IMessageSerializer<FileOffered>
    {
        private const int FixedSize = sizeof(uint) + sizeof(long);

        public string Name => "file-offer";

        public void Serialize(in FileOffered value, MessageBuffer buffer)
        {
            var bytes = buffer.GetSpan(FixedSize);
            BinaryPrimitives.WriteUInt32LittleEndian(bytes, value.Number);
            BinaryPrimitives.WriteInt64LittleEndian(bytes.Slice(sizeof(uint)), value.Length);
            buffer.Advance(FixedSize);
            WriteName(value.Name, buffer);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out FileOffered value)
        {
            value = default;
            if (payload.Length < FixedSize || !Utf8Text.TryDecode(payload.Slice(FixedSize), out var name))
                return false;
            value = new FileOffered(BinaryPrimitives.ReadUInt32LittleEndian(payload), BinaryPrimitives.ReadInt64LittleEndian(payload.Slice(sizeof(uint))), name);
            return value.Length >= 0;
        }
    }

    private sealed class WantedSerializer : IMessageSerializer<FileWanted>
    {
        public string Name => "file-name";

        public void Serialize(in FileWanted value, MessageBuffer buffer) => WriteName(value.Name, buffer);

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out FileWanted value)
        {
            var isText = Utf8Text.TryDecode(payload, out var name);
            value = new FileWanted(name!);
            return isText;
        }
    }

    private sealed class StartSerializer : IMessageSerializer<FileStart>
    {
        private const int FixedSize = sizeof(uint) + sizeof(long);

        public string Name => "file-start";

        public void Serialize(in FileStart value, MessageBuffer buffer)
        {
            var bytes = buffer.GetSpan(FixedSize);
            BinaryPrimitives.WriteUInt32LittleEndian(bytes, value.Number);
            BinaryPrimitives.WriteInt64LittleEndian(bytes.Slice(sizeof(uint)), value.Offset);
            buffer.Advance(FixedSize);
            buffer.Write(value.Hash);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out FileStart value)
        {
            value = default;
            if (payload.Length < FixedSize)
                return false;
            var hash = payload.Slice(FixedSize).ToArray();
            value = new FileStart(BinaryPrimitives.ReadUInt32LittleEndian(payload), BinaryPrimitives.ReadInt64LittleEndian(payload.Slice(sizeof(uint))), hash);
            return value.Offset >= 0 && hash.Length == (value.Offset == 0 ? 0 : FilePart.HashSize);
        }
    }
}

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
