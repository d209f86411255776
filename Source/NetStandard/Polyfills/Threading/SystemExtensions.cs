using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Reloaded.Messaging.Polyfills;

internal static class SystemExtensions
{
    [ThreadStatic]
    private static Random? t_random;

    extension(OperatingSystem)
    {
        public static bool IsWindows() => RuntimeInformation.IsOSPlatform(OSPlatform.Windows);

        public static bool IsLinux() => RuntimeInformation.IsOSPlatform(OSPlatform.Linux);
    }

    extension(Environment)
    {
        public static int ProcessId
        {
            get
            {
                using var process = Process.GetCurrentProcess();
                return process.Id;
            }
        }

        /// <summary>A monotonic time in milliseconds, with an arbitrary start.</summary>
        public static long TickCount64 => (long)(Stopwatch.GetTimestamp() * (1000.0 / Stopwatch.Frequency));
    }

    extension(ArgumentException)
    {
        public static void ThrowIfNullOrWhiteSpace([NotNull] string? argument, [CallerArgumentExpression(nameof(argument))] string? paramName = null)
        {
            ArgumentNullException.ThrowIfNull(argument, paramName);
            if (string.IsNullOrWhiteSpace(argument))
                throw new ArgumentException("The value is empty or white space.", paramName);
        }
    }

    extension(Array)
    {
        public static int MaxLength => 0x7FFFFFC7;

        public static void Clear(Array array) => Array.Clear(array, 0, array.Length);
    }

    extension(Convert)
    {
        public static string ToHexString(byte[] bytes) => BitConverter.ToString(bytes).Replace("-", "", StringComparison.Ordinal);
    }

    extension(Enum)
    {
        public static TEnum[] GetValues<TEnum>()
            where TEnum : struct, Enum => (TEnum[])Enum.GetValues(typeof(TEnum));
    }

    extension(Random)
    {
        public static Random Shared => t_random ??= new Random(RandomNumberGenerator.GetInt32(int.MaxValue)); // a runtime that seeds by the time could give two threads the same seed
    }

    /// <summary>Removes a key if it has the given value, atomically.</summary>
    public static bool TryRemove<TKey, TValue>(this ConcurrentDictionary<TKey, TValue> dictionary, KeyValuePair<TKey, TValue> item)
        where TKey : notnull => ((ICollection<KeyValuePair<TKey, TValue>>)dictionary).Remove(item);
}
