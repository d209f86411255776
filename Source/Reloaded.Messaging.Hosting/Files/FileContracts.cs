using System.Buffers.Binary;

namespace Reloaded.Messaging.Hosting;

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
