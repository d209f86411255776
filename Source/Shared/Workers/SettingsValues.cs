using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads numbers, times, flags and bytes from a section. Each method states its format in the error.</summary>
internal static class SettingsValues
{
    private const string WholeNumber = "a whole number, such as 1024";
    private const string Time = "a time, such as 00:00:05 or 0.00:00:00.250";

    public static int ReadInt(this SettingsSection section, string key, int otherwise, Func<int, object>? check = null) =>
        section.Read(key, otherwise, TryParseInt, WholeNumber, check);

    public static int? ReadOptionalInt(this SettingsSection section, string key, int? otherwise, Func<int, object> check) =>
        section.Read<int?>(key, otherwise, TryParseInt, WholeNumber, value => check(value.GetValueOrDefault()));

    public static double ReadNumber(this SettingsSection section, string key, double otherwise, Func<double, object> check) =>
        section.Read(key, otherwise, static (string text, out double value) => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value), "a number, such as 0.2", check);

    public static bool ReadFlag(this SettingsSection section, string key, bool otherwise) =>
        section.Read(key, otherwise, bool.TryParse, "true or false");

    public static TimeSpan ReadTime(this SettingsSection section, string key, TimeSpan otherwise, Func<TimeSpan, object> check) =>
        section.Read(key, otherwise, TryParseTime, Time, check);

    public static TimeSpan? ReadOptionalTime(this SettingsSection section, string key, TimeSpan? otherwise, Func<TimeSpan, object> check) =>
        section.Read<TimeSpan?>(key, otherwise, TryParseTime, Time, value => check(value.GetValueOrDefault()));

    public static T ReadName<T>(this SettingsSection section, string key, T otherwise)
        where T : struct, Enum =>
        section.Read(key, otherwise, static (string text, out T value) => Enum.TryParse(text, ignoreCase: true, out value) && Enum.IsDefined(value) && !char.IsAsciiDigit(text[0]), string.Join(" or ", Enum.GetNames<T>()));

    /// <summary>Reads texts that are separated by commas. Returns an empty list if the key is missing or its value is not valid.</summary>
    /// <param name="section">The section.</param>
    /// <param name="key">The name of the key.</param>
    /// <param name="check">Checks each text, and throws an <see cref="ArgumentException"/> if it is not valid.</param>
    public static string[] ReadList(this SettingsSection section, string key, Func<string, object> check) =>
        section.Read<string[]>(key, [], TryParseList, "a list of texts, separated by commas", values => Array.ConvertAll(values, text => check(text)));

    /// <summary>Reads bytes as base64 or as hexadecimal digits. The error does not contain the value, which is a secret.</summary>
    /// <returns>The bytes, or <c>null</c> if the key is missing or its value is not valid.</returns>
    public static byte[]? ReadSecret(this SettingsSection section, string key, Func<byte[], object>? check = null)
    {
        if (section.ReadText(key) is not { } text)
            return null;
        var bytes = DecodeBytes(text);
        if (bytes is null)
        {
            section.AddError(key, "", $"It has {text.Length} characters, and must be base64, or hexadecimal digits with the prefix 0x. Create a value with Convert.ToBase64String(RandomNumberGenerator.GetBytes(32)).");
            return null;
        }

        try
        {
            check?.Invoke(bytes);
        }
        catch (ArgumentException e)
        {
            section.AddError(key, "", e.Message);
        }

        return bytes;
    }

    private static byte[]? DecodeBytes(string text)
    {
        try
        {
            return text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? Convert.FromHexString(text.AsSpan(2)) : Convert.FromBase64String(text);
        }
        catch (FormatException)
        {
            return null;
        }
    }

    private static bool TryParseInt(string text, out int value) => int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    private static bool TryParseInt(string text, out int? value)
    {
        var isNumber = TryParseInt(text, out int number);
        value = number;
        return isNumber;
    }

    private static bool TryParseList(string text, [NotNullWhen(true)] out string[]? value)
    {
        value = text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return value.Length > 0;
    }

    // A plain number is a number of days to TimeSpan, which is rarely meant.
    private static bool TryParseTime(string text, out TimeSpan value)
    {
        value = default;
        return text.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out value);
    }

    private static bool TryParseTime(string text, out TimeSpan? value)
    {
        var isTime = TryParseTime(text, out TimeSpan time);
        value = time;
        return isTime;
    }
}
