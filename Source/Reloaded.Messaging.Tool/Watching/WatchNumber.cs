using System.Globalization;

namespace Reloaded.Messaging.Tool;

/// <summary>Numbers as short texts.</summary>
internal static class WatchNumber
{
    private static readonly string[] s_units = ["B", "kB", "MB", "GB", "TB", "PB"], s_factors = ["", "M", "G", "T", "P", "E"];

    /// <summary>Describes a number in at most 8 characters.</summary>
    public static string Count(double number)
    {
        if (number < 999_999.5)
            return number.ToString("N0", CultureInfo.InvariantCulture);
        var factor = 1;
        for (number /= 1e6; number >= 999.95 && factor < s_factors.Length - 1; number /= 1000)
            factor++;
        return FormattableString.Invariant($"{number:F1}{s_factors[factor]}");
    }

    /// <summary>Describes a number of bytes in at most 7 characters.</summary>
    public static string Bytes(double bytes)
    {
        var unit = 0;
        for (; bytes >= 9999.5 && unit < s_units.Length - 1; bytes /= 1000)
            unit++;
        return FormattableString.Invariant($"{bytes:F0} {s_units[unit]}");
    }

    /// <summary>Describes a time in milliseconds, or in seconds from 10 s on.</summary>
    public static string Time(TimeSpan time) => time.TotalSeconds < 10
        ? FormattableString.Invariant($"{time.TotalMilliseconds:F2} ms")
        : FormattableString.Invariant($"{time.TotalSeconds:F0} s");
}
