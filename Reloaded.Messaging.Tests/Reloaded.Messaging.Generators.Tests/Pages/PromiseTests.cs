using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Structure;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>Sentences of the pages that promise something. A comment after such a sentence names its test: <c>&lt;!-- test: Class.Method --&gt;</c>.</summary>
public sealed partial class PromiseTests
{
    /// <summary>The specifications. Their sentences are requirements, which the vectors and the tables hold.</summary>
    private static readonly string[] s_notHeld = ["Clients/docs/write-a-client.md", "docs/specification/binary-format.md", "docs/specification/shared-memory.md", "docs/specification/wire-format.md"];

    private static readonly PageDefaults s_defaults = new(typeof(MessageWriter), typeof(MessageEndpoint), typeof(MessageHost), typeof(Games.TickLoop));

    public static TheoryData<string> All => [.. RepositoryFolder.Pages
        .SelectMany(static folder => Directory.EnumerateFiles(folder, "*.md", SearchOption.AllDirectories).Concat(Directory.EnumerateFiles(Path.GetDirectoryName(folder)!, "README.md")))
        .Select(static path => Path.GetRelativePath(SourceProject.Repository, path).Replace('\\', '/'))];

    public static TheoryData<string> Held => [.. All.Select(static page => page.Data).Except(s_notHeld)];

    [Theory]
    [MemberData(nameof(All))]
    public void Markers_name_tests_that_exist(string page) => Assert.All(
        Regex.Matches(Read(page), "<!-- *test(.*?)-->"),
        marker => Assert.True(MarkedTest().Match(marker.Value) is { Success: true } test && TestCatalog.Has(test.Groups[1].Value), $"{page} has {marker.Value}, which is no test. Write <!-- test: Class.Method -->."));

    [Theory]
    [MemberData(nameof(Held))]
    public void Sentences_with_never_always_or_every_name_a_test(string page) => Assert.All(
        SentencesOf(Read(page)).Where(static sentence => PromisingWord().IsMatch(Regex.Replace(sentence, "`[^`]*`", ""))),
        sentence => Assert.True(MarkedTest().IsMatch(sentence) || TestInCell().IsMatch(sentence), $"{page}: append <!-- test: Class.Method --> to the sentence, or promise less: {sentence}"));

    [Theory]
    [MemberData(nameof(All))]
    public void Defaults_are_those_of_the_options(string page) => Assert.Empty(s_defaults.FindWrong(Read(page)));

    [Fact]
    public void Defaults_of_many_options_are_compared() => Assert.InRange(All.Sum(static page => s_defaults.Count(Read(page.Data))), 15, 200);

    // A row of a table whose cells have no test is one sentence. Code is left out.
    private static IEnumerable<string> SentencesOf(string page) =>
        from line in Regex.Replace(page, "^```.*?^```", "", RegexOptions.Multiline | RegexOptions.Singleline).Split('\n')
        from sentence in line.StartsWith('|') ? [line] : Regex.Split(line, @"(?<=[.!?]|-->)\s+(?!<!--)")
        select sentence;

    private static string Read(string page) => File.ReadAllText(Path.Combine(SourceProject.Repository, page)).ReplaceLineEndings("\n");

    [GeneratedRegex(@"<!-- test: (\w+\.\w+) -->")]
    private static partial Regex MarkedTest();

    [GeneratedRegex(@"\b(?:never|always|every)\b", RegexOptions.IgnoreCase)]
    private static partial Regex PromisingWord();

    [GeneratedRegex("`[A-Z][A-Za-z0-9]*(?:_[A-Za-z0-9]+){2,}`")]
    private static partial Regex TestInCell();
}
