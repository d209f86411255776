using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A file is a concept: there are few files, few of them are tiny, and none is too long to be read at once. A line of code is neither blank nor a comment.</summary>
public sealed class FileSizeTests(ITestOutputHelper output)
{
    private const int MaxFiles = 560;
    private const int MaxLines = 350;
    private const int TinyLines = 12;
    private const double MaxTinyShare = 0.08;

    private static readonly Lazy<List<(string Path, int Lines)>> s_files = new(static () =>
        [.. SourceProject.FilesIn("").Select(static file => (file.Path, File.ReadLines(file.File).Count(IsCode)))]);

    [Fact]
    public void Source_has_few_files()
    {
        foreach (var package in s_files.Value.GroupBy(static file => file.Path[..file.Path.IndexOf('/', StringComparison.Ordinal)]).OrderBy(static package => package.Key, StringComparer.Ordinal))
            output.WriteLine($"{package.Key}: {package.Count()} files, {package.Sum(static file => file.Lines)} lines of code, {package.Count(IsTiny)} tiny files");

        Assert.InRange(s_files.Value.Count, 400, MaxFiles);
    }

    [Fact]
    public void Few_files_are_tiny()
    {
        var tiny = s_files.Value.Where(IsTiny).Select(static file => $"{file.Path}: {file.Lines}").ToList();

        Assert.True(tiny.Count <= MaxTinyShare * s_files.Value.Count, $"{tiny.Count} of {s_files.Value.Count} files have {TinyLines} lines of code or fewer. Move types to the files that use them.\n{string.Join('\n', tiny)}");
    }

    [Fact]
    public void No_file_is_long() => Assert.DoesNotContain(s_files.Value, static file => file.Lines > MaxLines);

    private static bool IsTiny((string Path, int Lines) file) => file.Lines <= TinyLines;

    private static bool IsCode(string line) => line.AsSpan().Trim() is { IsEmpty: false } text && !text.StartsWith("//", StringComparison.Ordinal);
}
