using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
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

        /// <summary>Milliseconds that only ever go on, whatever they began with.</summary>
        public static long TickCount64 => (long)(Stopwatch.GetTimestamp() * (1000.0 / Stopwatch.Frequency));
    }

    extension(Stopwatch)
    {
        public static TimeSpan GetElapsedTime(long start) => TimeProvider.System.GetElapsedTime(start); // whose timestamps are a stopwatch's
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

    extension(char)
    {
        public static bool IsAsciiLetterOrDigit(char c) => c is (>= '0' and <= '9') or (>= 'A' and <= 'Z') or (>= 'a' and <= 'z');

        public static bool IsAsciiHexDigit(char c) => c is (>= '0' and <= '9') or (>= 'A' and <= 'F') or (>= 'a' and <= 'f');
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
        public static Random Shared => t_random ??= new Random(RandomNumberGenerator.GetInt32(int.MaxValue)); // runtimes that seed by the time give two threads the same
    }

    extension(string)
    {
        public static string Create(IFormatProvider provider, FormattableString text) => text.ToString(provider);
    }

    extension(int)
    {
        public static bool TryParse(string text, IFormatProvider provider, out int value) => int.TryParse(text, NumberStyles.Integer, provider, out value);
    }

    extension(long)
    {
        public static bool TryParse(string text, IFormatProvider provider, out long value) => long.TryParse(text, NumberStyles.Integer, provider, out value);
    }

    extension(ushort)
    {
        public static bool TryParse(string text, IFormatProvider provider, out ushort value) => ushort.TryParse(text, NumberStyles.Integer, provider, out value);
    }

    extension<TKey, TValue>(ConcurrentDictionary<TKey, TValue> dictionary)
        where TKey : notnull
    {
        /// <summary>Removes a key while it has a value, in one step.</summary>
        public bool TryRemove(KeyValuePair<TKey, TValue> item) => ((ICollection<KeyValuePair<TKey, TValue>>)dictionary).Remove(item);
    }
}
