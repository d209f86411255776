namespace Reloaded.Messaging.Generators.Model;

/// <summary>A class of the framework that is sent as a string: how the string is taken from it, and how it is made from the string.</summary>
/// <param name="Text">The C# expression of the string, from a variable <c>value</c>.</param>
/// <param name="TryMake">The C# expression that makes <c>value</c> from a variable <c>text</c>, and is <c>false</c> for a text that is no such value.</param>
/// <param name="Missing">The C# expression of the value of a field that the sender did not send and that is never null.</param>
/// <param name="Cost">The cost of an instance in the budget of a payload. The shortest text pays for it.</param>
internal sealed record TextCode(string Text, string TryMake, string Missing, int Cost)
{
    /// <summary>The code in shapes: that of a string.</summary>
    public const string Code = "s";

    /// <summary>Returns the code of a type, by its fully qualified name, or <c>null</c> for all other types.</summary>
    public static TextCode? Find(string type) => type switch
    {
        "global::System.Uri" => new(
            // A path of Unix is absolute only if the program says so. The receiver parses a text, so the path is sent as an address.
            "(value.IsAbsoluteUri && value.IsFile && !value.OriginalString.StartsWith(\"file:\", global::System.StringComparison.OrdinalIgnoreCase) ? value.AbsoluteUri : value.OriginalString)",
            "global::System.Uri.TryCreate(text, global::System.UriKind.RelativeOrAbsolute, out value)",
            "MissingValues.Uri",
            8),
        "global::System.Version" => new("value.ToString()", "global::System.Version.TryParse(text, out value)", "MissingValues.Version", 32),
        _ => null,
    };
}
