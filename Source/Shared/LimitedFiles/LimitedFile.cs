using System.IO;

namespace Reloaded.Messaging;

/// <summary>Reads files of keys, passwords, certificates and schemas. A wrong path, such as a device without an end, does not fill the memory.</summary>
internal static class LimitedFile
{
    /// <summary>The limit for a key, a token or a password, in bytes.</summary>
    public const int Secret = 64 * 1024;

    /// <exception cref="IOException">Thrown when the file cannot be read, or exceeds the limit.</exception>
    public static string ReadText(string path, int limit)
    {
        using var reader = new StreamReader(new MemoryStream(ReadBytes(path, limit)));
        return reader.ReadToEnd();
    }

    /// <param name="path">The path of a file, or of a link such as <c>/dev/stdin</c>.</param>
    /// <param name="limit">The limit, in bytes.</param>
    /// <param name="advice">A sentence about what to do with a larger file, if its size alone does not say it.</param>
    /// <param name="mayBePipe">Whether the path may name a pipe or a device. The caller can then cancel the wait for a writer.</param>
    /// <exception cref="IOException">Thrown when the file cannot be read, is empty, or exceeds the limit.</exception>
    public static byte[] ReadBytes(string path, int limit, string advice = "", bool mayBePipe = false)
    {
        if (Directory.Exists(path))
            throw new IOException($"'{path}' is a folder. Name a file."); // the system would say that access is denied
        if (!mayBePipe && !File.GetAttributes(path).HasFlag(FileAttributes.ReparsePoint) && new FileInfo(path).Length == 0) // opening a pipe without a writer would wait for ever; a link has no length on Windows
            throw new IOException($"'{path}' is empty, or is a pipe or a device. Name a file with contents.");
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1);
        var size = file.CanSeek ? file.Length : 0; // 0 for a device
        using var bytes = new MemoryStream(size <= limit ? (int)size : 0); // a large file is in memory once
        var block = new byte[16 * 1024];
        while (size <= limit && file.Read(block, 0, block.Length) is > 0 and var count)
        {
            bytes.Write(block, 0, count);
            size = Math.Max(size, bytes.Length);
        }

        return size <= limit ? bytes.Length == bytes.Capacity ? bytes.GetBuffer() : bytes.ToArray() : throw new IOException($"The file '{path}' has {(size == bytes.Length ? "at least " : "")}{size} bytes; the limit is {limit} bytes. {advice}".TrimEnd());
    }
}
