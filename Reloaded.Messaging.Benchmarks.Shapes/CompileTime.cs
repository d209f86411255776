using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Compiles a project of many messages with the generator and without, and prints the times: <c>compile [MESSAGES]</c> (default: 2000). The times are those of a compiler that is warm, as in an editor or a build server.</summary>
public static class CompileTime
{
    public const string Verb = "compile";

    private const double Goal = 1.5;
    private const int Rounds = 7;
    private const int PerFile = 10;

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Latest);

    /// <returns>1 if the generator takes more time than the goal; otherwise, 0.</returns>
    public static int Run(int messages)
    {
        var files = Enumerable.Range(0, (messages + PerFile - 1) / PerFile).Select(file => Source(file * PerFile, Math.Min(PerFile, messages - (file * PerFile)))).ToList();
        List<double> plain = [], generated = [], generator = [], edits = [];
        for (var round = 0; round <= Rounds; round++)
        {
            var withoutGenerator = Time(() => Emit(Parse(files)));
            var driver = CSharpGeneratorDriver.Create([new Generators.MessageGenerator().AsSourceGenerator()], parseOptions: s_options) as GeneratorDriver;
            Compilation compilation = Parse(files);
            var running = 0.0;
            var withGenerator = Time(() =>
            {
                compilation = Parse(files);
                Compilation output = compilation;
                running = Time(() => driver = driver.RunGeneratorsAndUpdateCompilation(compilation, out output, out _));
                Emit(output);
            });
            var other = compilation.SyntaxTrees.Last();
            var edited = compilation.ReplaceSyntaxTree(other, CSharpSyntaxTree.ParseText($"{other}\n// {round}", s_options));
            var edit = Time(() => driver.RunGenerators(edited));
            if (round == 0)
                continue; // the compiler itself is compiled
            plain.Add(withoutGenerator);
            generated.Add(withGenerator);
            generator.Add(running);
            edits.Add(edit);
        }

        var ratio = Median(generated) / Median(plain);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{messages} messages in {files.Count} files, medians of {Rounds} rounds:"));
        Console.WriteLine($"without the generator: {Show(plain)}");
        Console.WriteLine($"with the generator:    {Show(generated)}");
        Console.WriteLine($"the generator itself:  {Show(generator)}");
        Console.WriteLine($"a comment in a file:   {Show(edits)} in the generator");
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"ratio: {ratio:F2} (goal: at most {Goal})"));
        return ratio <= Goal ? 0 : 1;
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
        var text = new StringBuilder("using System;\nusing System.Collections.Generic;\nusing Reloaded.Messaging;\nnamespace Many;\n");
        for (var i = first; i < first + count; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $$"""
                /// <summary>The state of entity {{i}}.</summary>
                [Message] public sealed class Entity{{i}}
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
        var watch = Stopwatch.StartNew();
        action();
        return watch.Elapsed.TotalMilliseconds;
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

    private static string Show(List<double> values) => string.Create(CultureInfo.InvariantCulture, $"{Median(values):F0} ms ({values.Min():F0}..{values.Max():F0})");
}
