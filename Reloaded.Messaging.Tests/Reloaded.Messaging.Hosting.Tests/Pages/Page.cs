using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>A page of the documentation, and the code that it is compared with.</summary>
internal static class Page
{
    private static readonly string s_folder = Path.Combine(AppContext.BaseDirectory, "Pages");

    /// <summary>The blocks of code that a page shows in a language.</summary>
    public static List<string> ReadBlocks(string page, string language) => File.ReadAllText(PathOf(page)).ReplaceLineEndings("\n").Split("```")
        .Where(block => block.StartsWith($"{language}\n", StringComparison.Ordinal))
        .Select(block => block[(language.Length + 1)..])
        .ToList();

    /// <summary>Every line of C# that a page shows, without its indentation.</summary>
    public static List<string> ReadShown(string page) => ReadBlocks(page, "csharp")
        .SelectMany(static block => block.Split('\n'))
        .Select(static line => line.Trim())
        .ToList();

    /// <summary>Every line of a file of code, without its indentation.</summary>
    public static List<string> ReadCode(string file) => File.ReadAllLines(PathOf(file)).Select(static line => line.Trim()).ToList();

    public static string PathOf(string file) => Path.Combine(s_folder, file);
}
