using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The settings of a configuration section: the key of each, the form of its text, and how it is set. The section is read by the table, and a key that the table lacks is an error.</summary>
/// <typeparam name="TOptions">The options. A setter returns a copy with the value, and throws an <see cref="ArgumentException"/> for a value that is out of range.</typeparam>
internal sealed class SettingsTable<TOptions>
{
    private readonly List<(string Key, Func<SettingsSection, string, TOptions, TOptions> Read)> _settings = [];

    /// <summary>Reads a section.</summary>
    /// <param name="section">The section.</param>
    /// <param name="options">The options with the defaults.</param>
    /// <returns>The options with the values of the section. A value that is not valid is left out, and its error is added to the section.</returns>
    public TOptions Read(SettingsSection section, TOptions options)
    {
        foreach (var (key, read) in _settings)
            options = read(section, key, options);
        section.CheckKeys(_settings.ConvertAll(static setting => setting.Key));
        return options;
    }

    public SettingsTable<TOptions> Text(string key, Func<TOptions, string, TOptions> set) => Add(key, SettingsSection.TryParseText, SettingsSection.Text, set);

    public SettingsTable<TOptions> Int(string key, Func<TOptions, int, TOptions> set) =>
        Add(key, static (string text, out int value) => int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value), $"a whole number of at most {int.MaxValue}, such as 1024", set);

    public SettingsTable<TOptions> Number(string key, Func<TOptions, double, TOptions> set) =>
        Add(key, static (string text, out double value) => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value), "a number, such as 0.2", set);

    public SettingsTable<TOptions> Flag(string key, Func<TOptions, bool, TOptions> set) => Add(key, bool.TryParse, "true or false", set);

    public SettingsTable<TOptions> Time(string key, Func<TOptions, TimeSpan, TOptions> set) => Add(key, TryParseTime, "a time, such as 00:00:05 or 0.00:00:00.250", set);

    /// <summary>Adds a value of an enum.</summary>
    /// <param name="key">The key.</param>
    /// <param name="set">Sets the value.</param>
    /// <param name="accepted">The values that an error names. Without values, it names all values of the enum.</param>
    public SettingsTable<TOptions> Name<T>(string key, Func<TOptions, T, TOptions> set, params T[] accepted)
        where T : struct, Enum =>
        Add(key, static (string text, out T value) => Enum.TryParse(text, ignoreCase: true, out value) && Enum.IsDefined(value) && !char.IsAsciiDigit(text[0]), string.Join(" or ", accepted.Length == 0 ? Enum.GetValues<T>() : accepted), set);

    /// <summary>Adds texts that are separated by commas.</summary>
    public SettingsTable<TOptions> List(string key, Func<TOptions, string[], TOptions> set) => Add(key, TryParseList, "a list of texts, separated by commas", set);

    /// <summary>Adds bytes as base64 or as hexadecimal digits. An error does not contain the value, which is a secret.</summary>
    public SettingsTable<TOptions> Secret(string key, Func<TOptions, byte[], TOptions> set) => Add(key, (section, key, options) =>
    {
        if (section.ReadText(key) is not { } text)
            return options;
        if (DecodeBytes(text) is not { Length: > 0 } bytes)
        {
            section.AddError(key, "", $"It has {text.Length} characters, and must be base64, or hexadecimal digits with the prefix 0x. Create a value with Convert.ToBase64String(RandomNumberGenerator.GetBytes(32)).");
            return options;
        }

        try
        {
            return set(options, bytes);
        }
        catch (ArgumentException e)
        {
            section.AddError(key, "", e.Message);
            return options;
        }
    });

    /// <summary>Adds a subsection with settings of the same options.</summary>
    public SettingsTable<TOptions> Section(string key, SettingsTable<TOptions> table) =>
        Add(key, (section, key, options) => section.Find(key) is { } found ? table.Read(found, options) : options);

    /// <summary>Adds a subsection with settings of other options.</summary>
    /// <param name="key">The key of the subsection.</param>
    /// <param name="table">The settings of the subsection.</param>
    /// <param name="defaults">The options of an empty subsection.</param>
    /// <param name="set">Sets the options. Called if the subsection exists.</param>
    public SettingsTable<TOptions> Section<T>(string key, SettingsTable<T> table, T defaults, Func<TOptions, T, TOptions> set) =>
        Add(key, (section, key, options) => section.Find(key) is { } found ? set(options, table.Read(found, defaults)) : options);

    /// <summary>Adds all settings of a table for a part of the options. Their keys are in the same section.</summary>
    public SettingsTable<TOptions> Include<T>(SettingsTable<T> table, Func<TOptions, T> get, Func<TOptions, T, TOptions> set)
    {
        foreach (var (key, read) in table._settings)
            Add(key, (section, key, options) => set(options, read(section, key, get(options))));
        return this;
    }

    /// <summary>Adds a setting that is read by code.</summary>
    public SettingsTable<TOptions> Add(string key, Func<SettingsSection, string, TOptions, TOptions> read)
    {
        _settings.Add((key, read));
        return this;
    }

    private SettingsTable<TOptions> Add<T>(string key, SettingsSection.Parser<T> parse, string expected, Func<TOptions, T, TOptions> set) =>
        Add(key, (section, key, options) => section.Read(key, options, parse, expected, set));

    // A plain number is a number of days to TimeSpan, which is rarely meant.
    private static bool TryParseTime(string text, out TimeSpan value)
    {
        value = default;
        return text.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out value);
    }

    private static bool TryParseList(string text, [NotNullWhen(true)] out string[]? value)
    {
        value = text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return value.Length > 0;
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
}
