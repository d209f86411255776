using System;
using System.IO;

namespace Reloaded.Messaging.Polyfills;

internal static class FileExtensions
{
    extension(File)
    {
        public static void SetUnixFileMode(string path, UnixFileMode mode) => LibC.SetMode(path, mode);

        public static UnixFileMode GetUnixFileMode(string path) => LibC.GetMode(path);

        public static void Move(string from, string to, bool overwrite)
        {
            if (overwrite)
                throw new NotSupportedException("This target cannot replace a file by moving another file. Delete the existing file first.");
            File.Move(from, to);
        }
    }

    extension(Directory)
    {
        /// <summary>Creates a folder with a mode, and its parent folders with the default mode. An existing folder is not changed.</summary>
        public static DirectoryInfo CreateDirectory(string path, UnixFileMode mode)
        {
            var full = Path.GetFullPath(path);
            if (Path.GetDirectoryName(full) is { } parent)
                Directory.CreateDirectory(parent);
            if (!LibC.MakeFolder(full, mode) && !Directory.Exists(full))
                throw new IOException($"{full} exists and is not a folder. Remove it, or choose another path.");
            return new DirectoryInfo(full);
        }
    }

    extension(DirectoryInfo folder)
    {
        public string? LinkTarget => LibC.GetLinkTarget(folder.FullName);

        public UnixFileMode UnixFileMode => LibC.GetMode(folder.FullName);
    }

    extension(Stream stream)
    {
        public int ReadAtLeast(byte[] buffer, int minimumBytes, bool throwOnEndOfStream)
        {
            var total = 0;
            while (total < minimumBytes)
            {
                var read = stream.Read(buffer, total, buffer.Length - total);
                if (read == 0)
                    return throwOnEndOfStream ? throw new EndOfStreamException() : total;
                total += read;
            }

            return total;
        }
    }
}
