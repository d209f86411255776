using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads the values of a configuration section. Collects the errors, with the key, the value, and the correction.</summary>
/// <remarks>Each key is read once by its name. Keys that no code has read are errors, so a misspelled key is not ignored.</remarks>
internal sealed class SettingsSection(IConfigurationSection section, List<string> errors)
{
    private readonly List<string> _known = [];

    /// <summary>Parses the text of a value.</summary>
    /// <returns><c>false</c> if the text is not such a value.</returns>
    public delegate bool Parser<T>(string text, [MaybeNullWhen(false)] out T value);

    /// <summary>Reads a value, and checks it.</summary>
    /// <param name="key">The name of the key.</param>
    /// <param name="otherwise">The value if the key is missing.</param>
    /// <param name="parse">Parses the text.</param>
    /// <param name="expected">What the text must be, for the error.</param>
    /// <param name="check">Creates an object with the value, which throws an <see cref="ArgumentException"/> for a value that is out of range.</param>
    public T Read<T>(string key, T otherwise, Parser<T> parse, string expected, Func<T, object>? check = null)
    {
        _known.Add(key);
        if (section[key] is not { } text)
        {
            if (section.GetSection(key).Exists())
                AddError(key, "", $"It has keys, and must be {expected}.");
            return otherwise;
        }

        if (!parse(text, out var value))
        {
            AddError(key, $" is '{text}'", $"It must be {expected}.");
            return otherwise;
        }

        try
        {
            check?.Invoke(value);
            return value;
        }
        catch (ArgumentException e)
        {
            AddError(key, $" is '{text}'", e.Message);
            return otherwise;
        }
    }

    /// <summary>Reads a text, or <c>null</c> if the key is missing or its value is not valid.</summary>
    public string? ReadText(string key, Func<string, object>? check = null) =>
        Read<string?>(key, null, static (string text, out string? value) => (value = text).Length > 0, "a text that is not empty", check is null ? null : value => check(value!));

    /// <summary>Returns whether a key has a value or keys of its own.</summary>
    public bool Has(string key) => section.GetSection(key).Exists();

    /// <summary>Reads the keys of a subsection.</summary>
    /// <param name="key">The name of the subsection.</param>
    /// <param name="otherwise">The value if the subsection is missing.</param>
    /// <param name="read">Reads the keys. It is called for a subsection that exists.</param>
    public T ReadSection<T>(string key, T otherwise, Func<SettingsSection, T> read)
    {
        _known.Add(key);
        var child = section.GetSection(key);
        return child.Exists() ? Read(child, read) : otherwise;
    }

    /// <summary>Reads subsections with names that the program chooses.</summary>
    /// <param name="key">The name of the subsection that contains them.</param>
    /// <param name="read">Reads the keys of one of them. Its first argument is the name.</param>
    public void ReadSections(string key, Action<string, SettingsSection> read) => ReadSection<object?>(key, null, all =>
    {
        foreach (var child in section.GetSection(key).GetChildren())
        {
            all._known.Add(child.Key);
            all.Read<object?>(child, keys =>
            {
                read(child.Key, keys);
                return null;
            });
        }

        return null;
    });

    private T Read<T>(IConfigurationSection child, Func<SettingsSection, T> read)
    {
        if (child.Value is { Length: > 0 } text)
            AddError(child.Key, $" is '{text}'", "It must be a section with keys.");
        var keys = new SettingsSection(child, errors);
        var value = read(keys);
        keys.CheckKeys();
        return value;
    }

    /// <summary>Adds an error for each key that was not read, with the most similar key.</summary>
    public void CheckKeys()
    {
        foreach (var child in section.GetChildren())
        {
            if (!_known.Exists(known => string.Equals(known, child.Key, StringComparison.OrdinalIgnoreCase)))
                errors.Add($"The key '{child.Path}' is unknown. Did you mean '{section.Path}:{NearestText.Find(child.Key, _known)}'?");
        }
    }

    /// <summary>Adds an error for a key of this section.</summary>
    /// <param name="key">The name of the key.</param>
    /// <param name="value">The value, after a space; empty to leave it out because it is secret or missing.</param>
    /// <param name="advice">What is wrong, and what to do.</param>
    public void AddError(string key, string value, string advice) => errors.Add($"The value of '{section.Path}:{key}'{value}{(value.Length == 0 ? " is not valid" : "")}. {advice}");

    /// <summary>Adds an error for values of this section that do not fit together.</summary>
    /// <param name="advice">What is wrong, and what to do.</param>
    public void AddError(string advice) => errors.Add($"The section '{section.Path}' is not valid. {advice}");
}
