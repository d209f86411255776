using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The page of errors describes every public exception, and every member of each public status and reason, of all packages.</summary>
public sealed partial class ErrorsPageTests
{
    private static readonly string s_page = File.ReadAllText(Page.PathOf("errors.md")).ReplaceLineEndings("\n");

    private static readonly string s_surface = string.Join('\n', RepositoryFolder.Tests
        .SelectMany(static folder => Directory.EnumerateFiles(folder, "*.approved.txt", SearchOption.AllDirectories))
        .Where(static path => Path.GetFileName(Path.GetDirectoryName(path)) == "PublicSurface" && !path.Contains($"{Path.DirectorySeparatorChar}bin{Path.DirectorySeparatorChar}", StringComparison.Ordinal))
        .Select(File.ReadAllText)).ReplaceLineEndings("\n");

    /// <summary>The members of each enum that is a status or a reason.</summary>
    private static readonly Dictionary<string, string[]> s_enums = EnumPattern().Matches(s_surface)
        .ToDictionary(static match => match.Groups[1].Value, static match => match.Groups[2].Captures.Select(static member => member.Value).ToArray());

    public static TheoryData<string> Enums => [.. s_enums.Keys];

    public static TheoryData<string> Exceptions => [.. ExceptionPattern().Matches(s_surface).Select(static match => match.Groups[1].Value)];

    [Theory]
    [MemberData(nameof(Enums))]
    public void Page_lists_every_member(string type)
    {
        var section = Assert.Single(s_page.Split("\n## "), section => section.Split('\n')[0].EndsWith($": `{type}`", StringComparison.Ordinal));

        var listed = section.Split('\n').Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).Select(static line => line.Split('`')[1]);

        Assert.Equal(s_enums[type].Order(), listed.Order());
    }

    [Theory]
    [MemberData(nameof(Exceptions))]
    public void Page_describes_every_exception(string type)
    {
        var section = Assert.Single(s_page.Split("\n### "), section => section.StartsWith($"`{type}`\n", StringComparison.Ordinal));

        Assert.All(["**Cause.** ", "**Example.** ", "```text\n", "**Way out.** "], part => Assert.Contains(part, section, StringComparison.Ordinal));
    }

    [Fact]
    public void Page_lists_the_reasons_after_which_the_first_connect_is_not_repeated()
    {
        var sentence = s_page.Split("tries again, except after ")[1].Split(". ")[0];

        var permanent = Enum.GetValues<DisconnectReason>().Where(static reason => !Dialer.IsTransient(new HandshakeException(reason, "tcp://localhost:1")));

        Assert.Equal(permanent.Select(static reason => reason.ToString()).Order(), sentence.Split('`').Where(static (_, place) => place % 2 == 1).Order());
    }

    [Fact]
    public void Exceptions_link_to_their_sections()
    {
        var types = new[] { typeof(MessageWriter), typeof(TransportChannel), typeof(MessageHost) }
            .SelectMany(static one => one.Assembly.GetExportedTypes()).Where(static type => type.IsSubclassOf(typeof(Exception))).ToList();
        Assert.Equal(["PublicationRefusedException"], ExceptionPattern().Matches(s_surface).Select(static match => match.Groups[1].Value).Except(types.Select(static type => type.Name))); // of RabbitMQ, whose tests check it

        foreach (var type in types)
        {
            var exception = (Exception)RuntimeHelpers.GetUninitializedObject(type);
            Assert.EndsWith($"/docs/errors.md#{type.Name.ToLowerInvariant()}", exception.HelpLink, StringComparison.Ordinal);
            exception.HelpLink = "another address";
            Assert.Equal("another address", exception.HelpLink);
        }
    }

    [Fact]
    public void Packages_have_statuses_and_exceptions()
    {
        Assert.InRange(s_enums.Count, 10, 30);
        Assert.InRange(Exceptions.Count, 8, 20);
    }

    [Fact]
    public void Page_lists_values_of_fault_codes() => Assert.All(FaultCodes.All, code => Assert.Contains($"| `{code.Name}` | {code.Value} |", s_page, StringComparison.Ordinal));

    [GeneratedRegex(@"^enum \S*\.(\w+(?:Status|Reason|Failure)) : int\n(?: +\d+ (\w+)\n?)+", RegexOptions.Multiline)]
    private static partial Regex EnumPattern();

    [GeneratedRegex(@"^sealed class \S*\.(\w+Exception) :", RegexOptions.Multiline)]
    private static partial Regex ExceptionPattern();
}
