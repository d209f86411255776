using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Generators;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>docs/analyzers.md has a section for each contract rule, with code that is reported and code that is not.</summary>
public sealed class AnalyzersPageTests
{
    private const string Usings = Sources.Usings + "using System.Numerics;\n";

    private static readonly string s_page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "analyzers.md")).ReplaceLineEndings("\n");

    public static TheoryData<string> Rules => [.. new MessageContractAnalyzer().SupportedDiagnostics.Select(static rule => rule.Id)];

    [Theory]
    [MemberData(nameof(Rules))]
    public async Task What_the_page_calls_bad_is_reported(string id)
    {
        var found = await Analyze(GeneratorRunner.Create(Usings + Example(id).Bad));

        Assert.NotEmpty(found);
        Assert.All(found, diagnostic => Assert.Equal(id, diagnostic.Id));
    }

    [Theory]
    [MemberData(nameof(Rules))]
    public async Task What_the_page_calls_good_compiles(string id)
    {
        var compilation = GeneratorRunner.Compile(Usings + Example(id).Good);

        Assert.Empty(await Analyze(compilation));
    }

    [Theory]
    [MemberData(nameof(Rules))]
    public void The_page_lists_each_rule_under_its_title(string id)
    {
        var title = new MessageContractAnalyzer().SupportedDiagnostics.Single(rule => rule.Id == id).Title.ToString(null);

        Assert.Contains($"### {id}: {char.ToLowerInvariant(title[0])}{title[1..]}\n", s_page, StringComparison.Ordinal);
        Assert.Contains($"| [{id}](#{id.ToLowerInvariant()}-", s_page, StringComparison.Ordinal);
    }

    [Fact]
    public void The_page_describes_each_diagnostic()
    {
        var analyzers = typeof(MessageContractAnalyzer).Assembly.GetTypes().Where(static type => !type.IsAbstract && type.IsSubclassOf(typeof(DiagnosticAnalyzer)));
        var ids = analyzers.SelectMany(static type => ((DiagnosticAnalyzer)Activator.CreateInstance(type)!).SupportedDiagnostics).Select(static rule => rule.Id).Append("RM0001").Distinct().Order().ToList();

        var sections = s_page.Split("\n### ").Skip(1).ToDictionary(static section => section.Split(':')[0]);

        Assert.Equal(ids, sections.Keys.Order());
        Assert.All(sections.Values, static section => Assert.All(["\n**What.** ", "\n**Why.** ", "\n**Fix.** "], part => Assert.Contains(part, section, StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Example_of_ignored_status_is_reported_and_its_fixes_are_not()
    {
        var (bad, good) = Example("RM2004");
        var reported = await RunAsync(bad);
        var accepted = await RunAsync(good);

        Assert.Equal("RM2004", Assert.Single(reported).Id);
        Assert.Empty(accepted);

        static Task<ImmutableArray<Diagnostic>> RunAsync(string statements) => AnalyzerRunner.Run(
            new IgnoredSendStatusAnalyzer(),
            $"using Reloaded.Messaging.Hosting; class Sender {{ async System.Threading.Tasks.Task Run(Reloaded.Messaging.Hosting.Peer peer, int move) {{ {statements} }} }}",
            OutputKind.DynamicallyLinkedLibrary,
            withLibrary: true);
    }

    [Theory]
    [InlineData("RM2008")]
    [InlineData("RM2009")]
    [InlineData("RM2010")]
    [InlineData("RM2011")]
    [InlineData("RM2012")]
    [InlineData("RM2013")]
    [InlineData("RM2014")]
    public async Task Example_of_usage_rule_is_reported_and_its_fix_is_not(string id)
    {
        DiagnosticAnalyzer[] analyzers = [new ReplyTypeAnalyzer(), new AsyncVoidAnalyzer(), new DroppedTaskAnalyzer(), new CutMessageAnalyzer(), new GuessableTokenAnalyzer(), new LoginWithoutServerKeyAnalyzer(), new RequestAsEventAnalyzer()];
        var analyzer = analyzers.Single(one => one.SupportedDiagnostics.Any(rule => rule.Id == id));
        var (bad, good) = Example(id);

        Assert.Equal(id, Assert.Single(await RunAsync(bad)).Id);
        Assert.Empty(await RunAsync(good));

        // The types of an example stand before its statements.
        Task<ImmutableArray<Diagnostic>> RunAsync(string example)
        {
            var lines = example.Split('\n').ToLookup(static line => line.StartsWith("[Message", StringComparison.Ordinal));
            return AnalyzerRunner.Run(
                analyzer,
                $$"""
                {{Usings}}
                using System.IO;
                using System.Text;
                using System.Threading.Tasks;
                using Reloaded.Messaging.Hosting;
                class Program { void Run(Peer peer, MessageHost host) { {{string.Join('\n', lines[false])}}
                } }
                [Message(3)] public record Ask;
                {{string.Join('\n', lines[true])}}
                """,
                OutputKind.DynamicallyLinkedLibrary,
                withLibrary: true);
        }
    }

    private static (string Bad, string Good) Example(string id)
    {
        var code = Regex.Match(s_page, $"### {id}:.*?```csharp\n// Bad(.*?)\n// Good(.*?)```", RegexOptions.Singleline);
        Assert.True(code.Success, $"docs/analyzers.md has no example of {id}");
        return ("//" + code.Groups[1].Value, "//" + code.Groups[2].Value);
    }

    private static Task<ImmutableArray<Diagnostic>> Analyze(Compilation compilation) =>
        compilation.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
}
