using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Compiles a project of many messages without a generator, with that of this library and with that of MemoryPack, and prints the times: <c>compile [MESSAGES]</c> (default: 2000). The times are those of the processor, of a compiler that is warm, as in an editor or a build server.</summary>
public static class CompileTime
{
    public const string Verb = "compile";

    private const double Goal = 1.5;
    private const int Rounds = 7;
    private const int PerFile = 10;

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Latest, preprocessorSymbols: Codec.Symbols);

    /// <returns>1 if the generator takes more time than the goal; otherwise, 0.</returns>
    public static int Run(int messages)
    {
        var files = Enumerable.Range(0, (messages + PerFile - 1) / PerFile).Select(file => Source(file * PerFile, Math.Min(PerFile, messages - (file * PerFile)))).ToList();
        var plain = new Arm([]);
        List<Arm> arms = [plain, .. Codec.All.Where(static codec => codec.Generators.Count > 0).Select(static codec => new Arm(codec.Generators) { Name = codec.Name })];
        for (var round = -1; round < Rounds; round++)
        {
            foreach (var arm in arms)
                arm.Compile(files, isCounted: round >= 0); // in the first round, the compiler itself is compiled
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{messages} messages in {files.Count} files, processor time, medians of {Rounds} rounds:"));
        Console.WriteLine($"without a generator: {Show(plain.Whole)}");
        foreach (var arm in arms.Skip(1))
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{arm.Name}: {Show(arm.Whole)}, ratio {arm.RatioTo(plain):F2}. The generator itself takes {Show(arm.Running)}, and {Show(arm.Edits)} after a comment in a file. It writes {arm.Characters / messages} characters in {arm.Lines / messages} lines a message."));
        }

        var isReached = arms[1].RatioTo(plain) <= Goal;
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"The ratio of this library is {(isReached ? "at most" : "above")} the goal of {Goal}."));
        return isReached ? 0 : 1;
    }

    private static CSharpCompilation Parse(List<string> files) => CSharpCompilation.Create(
        "Many",
        files.Select(static file => CSharpSyntaxTree.ParseText(file, s_options)),
        Codec.References,
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable));

    private static void Emit(Compilation compilation)
    {
        using var image = new MemoryStream();
        var result = compilation.Emit(image);
        if (!result.Success)
            throw new InvalidOperationException(result.Diagnostics.First(static one => one.Severity == DiagnosticSeverity.Error).ToString());
    }

    /// <summary>A file of a program: messages with their properties and a method, as programs have them.</summary>
    private static string Source(int first, int count)
    {
        var text = new StringBuilder("using System;\nusing System.Collections.Generic;\nusing MemoryPack;\nusing Reloaded.Messaging;\nnamespace Many;\n");
        for (var i = first; i < first + count; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $$"""
                /// <summary>The state of entity {{i}}.</summary>
                [Message, MemoryPackable] public sealed partial class Entity{{i}}
                {
                    public int Id { get; set; }
                    public string Name { get; set; } = "";
                    public List<string> Tags { get; set; } = new();
                    public Dictionary<string, double> Scores { get; set; } = new();
                    public DateTime? Seen { get; set; }
                    public Entity{{first}}? Parent { get; set; }
                    public override string ToString() => $"{Id} {Name} {string.Join(", ", Tags)} {Scores.Count} {Seen} {Parent}";
                }

                """);
        }

        return text.ToString();
    }

    private static double Time(Action action)
    {
        var start = Environment.CpuUsage.TotalTime;
        action();
        return (Environment.CpuUsage.TotalTime - start).TotalMilliseconds;
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

    private static string Show(List<double> values) => string.Create(CultureInfo.InvariantCulture, $"{Median(values):F0} ms ({values.Min():F0}..{values.Max():F0})");

    /// <summary>A way to compile the project, and its times.</summary>
    private sealed class Arm(IReadOnlyList<ISourceGenerator> generators)
    {
        public string Name { get; init; } = "";

        public List<double> Whole { get; } = [];

        public List<double> Running { get; } = [];

        public List<double> Edits { get; } = [];

        public int Characters { get; private set; }

        public int Lines { get; private set; }

        public double RatioTo(Arm other) => Median(Whole) / Median(other.Whole);

        public void Compile(List<string> files, bool isCounted)
        {
            GeneratorDriver driver = CSharpGeneratorDriver.Create(generators, parseOptions: s_options);
            Compilation compilation = Parse([]);
            Compilation output = compilation;
            var running = 0.0;
            var whole = Time(() =>
            {
                compilation = Parse(files);
                output = compilation;
                if (generators.Count > 0)
                    running = Time(() => driver = driver.RunGeneratorsAndUpdateCompilation(compilation, out output, out _));
                Emit(output);
            });
            var other = compilation.SyntaxTrees.Last();
            var edited = compilation.ReplaceSyntaxTree(other, CSharpSyntaxTree.ParseText($"{other}\n// edited", s_options));
            var edit = Time(() => driver.RunGenerators(edited));
            if (!isCounted)
                return;
            Whole.Add(whole);
            Running.Add(running);
            Edits.Add(edit);
            var written = output.SyntaxTrees.Skip(files.Count).Select(static tree => tree.GetText()).ToList();
            Characters = written.Sum(static text => text.Length);
            Lines = written.Sum(static text => text.Lines.Count);
        }
    }
}
