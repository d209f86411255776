using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>A section of the configuration. Collects the errors, with the key, the value, and the correction.</summary>
internal sealed class SettingsSection(IConfigurationSection section, List<string> errors)
{
    /// <summary>The description of a text, for the error.</summary>
    public const string Text = "a text that is not empty";

    /// <summary>Parses the text of a value.</summary>
    /// <returns><c>false</c> if the text is not such a value.</returns>
    public delegate bool Parser<T>(string text, [MaybeNullWhen(false)] out T value);

    /// <summary>Reads a value, and sets it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="options">The options.</param>
    /// <param name="parse">Parses the text.</param>
    /// <param name="expected">The description of a valid text, for the error.</param>
    /// <param name="set">Returns the options with the value, and throws an <see cref="ArgumentException"/> for a value that is out of range.</param>
    /// <returns>The options with the value; the same options if the key is missing or its value is not valid.</returns>
    public TOptions Read<TOptions, T>(string key, TOptions options, Parser<T> parse, string expected, Func<TOptions, T, TOptions> set)
    {
        if (section[key] is not { } text)
        {
            if (Has(key))
                AddError(key, "", $"It has keys, and must be {expected}.");
            return options;
        }

        if (!parse(text, out var value))
        {
            AddError(key, $" is '{text}'", $"It must be {expected}.");
            return options;
        }

        try
        {
            return set(options, value);
        }
        catch (ArgumentException e)
        {
            AddError(key, $" is '{text}'", e.Message);
            return options;
        }
    }

    /// <summary>Reads a text, or <c>null</c> if the key is missing or its value is not valid.</summary>
    public string? ReadText(string key) => Read<string?, string>(key, null, TryParseText, Text, static (_, text) => text);

    public static bool TryParseText(string text, out string value) => (value = text).Length > 0;

    /// <summary>Returns whether a key has a value or a subsection.</summary>
    public bool Has(string key) => section.GetSection(key).Exists();

    /// <summary>Returns a subsection, or <c>null</c> if it is missing.</summary>
    public SettingsSection? Find(string key) => Has(key) ? Open(section.GetSection(key)) : null;

    /// <summary>Returns the subsections of a subsection, whose names the program chooses.</summary>
    public IEnumerable<(string Name, SettingsSection Section)> FindAll(string key)
    {
        if (Find(key) is not { } parent)
            yield break;
        foreach (var child in section.GetSection(key).GetChildren())
            yield return (child.Key, parent.Open(child));
    }

    /// <summary>Adds an error for each key that is unknown, with the most similar key, or with all keys if none is similar.</summary>
    public void CheckKeys(List<string> known)
    {
        foreach (var child in section.GetChildren())
        {
            if (!known.Exists(key => string.Equals(key, child.Key, StringComparison.OrdinalIgnoreCase)))
                errors.Add($"The key '{child.Path}' is unknown. {Suggest(child.Key, known)}");
        }
    }

    /// <summary>Adds an error for a key of this section.</summary>
    /// <param name="key">The name of the key.</param>
    /// <param name="value">The value, after a space; empty to leave it out because it is secret or missing.</param>
    /// <param name="advice">The mistake and the correction.</param>
    public void AddError(string key, string value, string advice) => errors.Add($"The value of '{section.Path}:{key}'{value}{(value.Length == 0 ? " is not valid" : "")}. {advice}");

    /// <summary>Adds an error for values of this section that do not fit together.</summary>
    /// <param name="advice">The mistake and the correction.</param>
    public void AddError(string advice) => errors.Add($"The section '{section.Path}' is not valid. {advice}");

    private SettingsSection Open(IConfigurationSection child)
    {
        if (child.Value is { Length: > 0 } text)
            AddError(child.Key, $" is '{text}'", "It must be a section with keys.");
        return new SettingsSection(child, errors);
    }

    /// <summary>Suggests the candidate with the least edit distance, if it is at most half of the text. Upper and lower case are equal.</summary>
    private string Suggest(string text, List<string> candidates)
    {
        var (nearest, least) = ("", int.MaxValue);
        foreach (var candidate in candidates)
        {
            if (GetDistance(text, candidate) is var distance && distance < least)
                (nearest, least) = (candidate, distance);
        }

        return least <= text.Length / 2
            ? $"Did you mean '{section.Path}:{nearest}'?"
            : $"The keys are {string.Join(", ", candidates)}. Set other options in code, by services.Configure.";
    }

    /// <summary>Returns the number of characters to insert, remove or replace (Levenshtein).</summary>
    private static int GetDistance(string left, string right)
    {
        var row = new int[right.Length + 1];
        for (var j = 0; j < row.Length; j++)
            row[j] = j;
        foreach (var letter in left)
        {
            var diagonal = row[0]++;
            for (var j = 1; j < row.Length; j++)
            {
                var replaced = diagonal + (char.ToUpperInvariant(letter) == char.ToUpperInvariant(right[j - 1]) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, 1 + Math.Min(row[j], row[j - 1]));
            }
        }

        return row[^1];
    }
}
