using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Xunit;

// Members of newer frameworks that the compiled tests use.

namespace System.Runtime.Versioning
{
    [AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
    internal sealed class UnsupportedOSPlatformAttribute(string platform) : Attribute
    {
        public string Platform { get; } = platform;
    }
}

namespace System.Runtime.CompilerServices
{
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class OverloadResolutionPriorityAttribute(int priority) : Attribute
    {
        public int Priority { get; } = priority;
    }
}

namespace Reloaded.Messaging.Tests
{
    internal static class Polyfills
    {
        private static readonly Func<long> s_allocatedBytes = (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread")!);

        extension(Directory)
        {
            public static DirectoryInfo CreateTempSubdirectory(string prefix = "") => Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), prefix + Path.GetRandomFileName()));
        }

        extension(Convert)
        {
            public static string ToHexString(ReadOnlySpan<byte> bytes) => BitConverter.ToString(bytes.ToArray()).Replace("-", "");

            public static string ToHexStringLower(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes).ToLowerInvariant();

            public static byte[] FromHexString(string text) =>
                [.. Enumerable.Range(0, text.Length / 2).Select(i => byte.Parse(text.Substring(2 * i, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture))];
        }

        extension(GC)
        {
            /// <summary>Mono has this method; netstandard2.1 does not.</summary>
            public static long GetAllocatedBytesForCurrentThread() => s_allocatedBytes();
        }

        extension<T>(IEnumerable<T> items)
        {
            public IEnumerable<T> Order() => items.OrderBy(static item => item);

            public IEnumerable<T[]> Chunk(int size)
            {
                for (var all = items.ToArray(); all.Length > 0; all = [.. all.Skip(size)])
                    yield return [.. all.Take(size)];
            }
        }

        extension<T>(Span<T> items)
        {
            public int IndexOfAnyExcept(T value)
            {
                for (var i = 0; i < items.Length; i++)
                {
                    if (!EqualityComparer<T>.Default.Equals(items[i], value))
                        return i;
                }

                return -1;
            }
        }

        extension(Process process)
        {
            public Task WaitForExitAsync() => Task.Run(process.WaitForExit);
        }

        extension(NetworkStream stream)
        {
            public async ValueTask ReadExactlyAsync(byte[] buffer)
            {
                for (var read = 0; read < buffer.Length;)
                {
                    var count = await stream.ReadAsync(buffer, read, buffer.Length - read);
                    read += count > 0 ? count : throw new EndOfStreamException();
                }
            }
        }

        extension(File)
        {
            public static void CreateSymbolicLink(string path, string target) => Assert.Equal(0, SymbolicLink(target, path));
        }

        extension(Socket)
        {
            public static bool OSSupportsUnixDomainSockets => true;
        }

        [DllImport("libc", EntryPoint = "symlink")]
        private static extern int SymbolicLink(string target, string path);
    }

    /// <summary>On netstandard2.1, the type is not disposable.</summary>
    internal sealed class TcpListener(IPAddress address, int port) : System.Net.Sockets.TcpListener(address, port), IDisposable
    {
        public void Dispose() => Stop();
    }
}

namespace System.Security.Cryptography.X509Certificates
{
    internal static class X509CertificateLoader
    {
        public static X509Certificate2 LoadCertificate(byte[] bytes) => new(bytes);

        public static X509Certificate2 LoadPkcs12(byte[] bytes, string? password) => new(bytes, password);
    }
}

namespace System.Runtime.InteropServices
{
    /// <summary>No library of Windows exists where these tests run.</summary>
    internal static class NativeLibrary
    {
        public static bool TryLoad(string name, out IntPtr library)
        {
            library = IntPtr.Zero;
            return false;
        }

        public static bool TryGetExport(IntPtr library, string name, out IntPtr address)
        {
            address = IntPtr.Zero;
            return false;
        }
    }
}
