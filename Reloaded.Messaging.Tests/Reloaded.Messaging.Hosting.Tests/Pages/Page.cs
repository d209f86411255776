using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>A page of the documentation, and the code that it is compared with.</summary>
internal static class Page
{
    private static readonly string s_folder = Path.Combine(AppContext.BaseDirectory, "Pages");

    /// <summary>Every line of C# that a page shows, without its indentation.</summary>
    public static List<string> ReadShown(string page) => File.ReadAllText(PathOf(page)).ReplaceLineEndings("\n").Split("```")
        .Where(static block => block.StartsWith("csharp\n", StringComparison.Ordinal))
        .SelectMany(static block => block.Split('\n')[1..])
        .Select(static line => line.Trim())
        .ToList();

    /// <summary>Every line of a file of code, without its indentation.</summary>
    public static List<string> ReadCode(string file) => File.ReadAllLines(PathOf(file)).Select(static line => line.Trim()).ToList();

    public static string PathOf(string file) => Path.Combine(s_folder, file);
}
