#:package Microsoft.CodeAnalysis.CSharp
#:property PublishAot=false
#:property NoWarn=$(NoWarn);CA1303;CA1852;CA2007;CA5394;CS1591;RM2002;RM2003;RM2004

// Changes the code of folders in many places, and prints the changes that no test of the suites notices:
//
//     dotnet run .ci/mutants.cs -- FOLDERS SUITES COUNT SEED [AT ONCE]
//     dotnet run .ci/mutants.cs -- Source/Reloaded.Messaging/Queueing Reloaded.Messaging.Tests 50 1
//
// FOLDERS are folders or files of one project below Source, and SUITES names of suites; commas separate them. COUNT changes are chosen by SEED.
// Each change is compiled beside the original code, behind a switch, so one build has all of them (mutant schemata). A variable of the environment
// names the change that a run makes. Each class of tests first runs alone, without a change. This run shows its time, the changes that it reaches, and
// the tests that fail anyway. Only the classes that reach a change run for it, AT ONCE of them (default: the number of processors). A few classes begin:
// those that noticed earlier changes, and then the fastest ones. A test notices a change if its class fails twice. A change that lets classes run out of
// time twice counts as killed, and the sum names these changes. The second limit follows the time that the same classes then need without a change.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

if (args.Length is < 4 or > 5)
{
    Console.Error.WriteLine("Usage: dotnet run .ci/mutants.cs -- FOLDERS SUITES COUNT SEED [AT ONCE]");
    return 2;
}

var folders = args[0].Split(',').Select(static folder => folder.TrimEnd('/')).ToArray();
var project = string.Join('/', folders[0].Split('/').Take(2));
var (count, seed, atOnce) = (Number(args[2]), Number(args[3]), args.Length > 4 ? Number(args[4]) : Environment.ProcessorCount);
var copy = Directory.CreateTempSubdirectory("mutants-").FullName;
try
{
    CopyFiles(copy);
    var (compilation, options) = Load(copy, project);
    var mutants = Choose(compilation, options, [.. folders.Select(folder => Path.Combine(copy, folder))], count, seed);
    var sources = Rewrite(compilation, options, mutants);
    foreach (var (path, text) in sources)
        File.WriteAllText(path, text);
    File.WriteAllText(Path.Combine(copy, project, "Mutants.cs"), Templates.Switch);

    Suite[] suites = [.. args[1].Split(',').Select(name => new Suite(copy, name))];
    foreach (var suite in suites)
        suite.BuildAndRecord(atOnce);

    var done = 0;
    Parallel.ForEach(mutants, new ParallelOptions { MaxDegreeOfParallelism = atOnce }, mutant =>
    {
        mutant.Run(suites);
        Console.WriteLine($"{System.Threading.Interlocked.Increment(ref done)} of {mutants.Count}: {mutant.Outcome} ({mutant.Why}) {mutant.Describe(copy)}");
    });

    foreach (var folder in mutants.GroupBy(mutant => Path.GetDirectoryName(mutant.Path)!).OrderBy(static folder => folder.Key, StringComparer.Ordinal))
        Console.WriteLine($"{Path.GetRelativePath(copy, folder.Key)}: {Sum([.. folder])}");

    Mutant[] survivors = [.. mutants.Where(static mutant => mutant.Outcome is Outcome.Survived).OrderBy(static mutant => mutant.Path, StringComparer.Ordinal).ThenBy(static mutant => mutant.Span.Start)];
    foreach (var survivor in survivors)
        Console.WriteLine($"survivor ({survivor.Why}): {survivor.Describe(copy)}");
    Console.WriteLine(Sum(mutants));
    return survivors.Length == 0 ? 0 : 1;
}
finally
{
    Directory.Delete(copy, recursive: true);
}

static string Sum(List<Mutant> mutants)
{
    var (killed, outOfTime) = (mutants.Count(static mutant => mutant.Outcome is Outcome.Killed), mutants.Count(static mutant => mutant.Outcome is Outcome.OutOfTime));
    return $"{killed + outOfTime} of {mutants.Count} killed, {outOfTime} of them because the time was up";
}

static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

static void CopyFiles(string copy)
{
    foreach (var file in Run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], Environment.CurrentDirectory).Split('\0', StringSplitOptions.RemoveEmptyEntries))
    {
        if (!File.Exists(file))
            continue; // removed, and not yet committed
        var target = Path.Combine(copy, file);
        Directory.CreateDirectory(Path.GetDirectoryName(target)!);
        File.Copy(file, target);
    }
}

// The compilation of the project as the build sees it, so that types are known and changes that do not compile are left out before the build.
static (CSharpCompilation Compilation, CSharpParseOptions Options) Load(string copy, string project)
{
    var folder = Path.Combine(copy, project);
    Run("dotnet", ["restore", folder, "-v", "q"], copy);
    using var items = JsonDocument.Parse(Run(
        "dotnet",
        ["msbuild", folder, .. Framework(folder), "-p:Configuration=Release", "-t:GenerateGlobalUsings;ResolveReferences;FindReferenceAssembliesForReferences", "-getProperty:DefineConstants", "-getItem:Compile", "-getItem:ReferencePathWithRefAssemblies"],
        copy));
    var constants = items.RootElement.GetProperty("Properties").GetProperty("DefineConstants").GetString()!;
    var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: constants.Split(';'));
    string[] Paths(string item) => [.. items.RootElement.GetProperty("Items").GetProperty(item).EnumerateArray().Select(static path => path.GetProperty("FullPath").GetString()!)];
    var trees = Paths("Compile").Where(File.Exists).Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path), options, path)).ToList();
    trees.Add(CSharpSyntaxTree.ParseText(Templates.Switch, options, "Mutants.cs"));
    var references = Paths("ReferencePathWithRefAssemblies").Where(File.Exists).Select(static path => MetadataReference.CreateFromFile(path)).ToArray();
    if (references.Length == 0)
        throw new InvalidOperationException($"MSBuild named no references of {project}. Without them, changes that do not compile are not recognized.");
    var settings = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable);
    return (CSharpCompilation.Create(Path.GetFileName(project), trees, references, settings), options);
}

// A project with one framework, such as the generator, is built for it.
static string[] Framework(string folder) =>
    File.ReadAllText(Path.Combine(folder, Path.GetFileName(folder) + ".csproj")).Contains("<TargetFrameworks>", StringComparison.Ordinal) ? ["-p:TargetFramework=net10.0"] : [];

// The changes by chance, without those that do not compile.
static List<Mutant> Choose(CSharpCompilation compilation, CSharpParseOptions options, string[] folders, int count, int seed)
{
    var all = new List<Mutant>();
    foreach (var tree in compilation.SyntaxTrees.Where(tree => folders.Any(folder => tree.FilePath == folder || tree.FilePath.StartsWith(folder + "/", StringComparison.Ordinal))).OrderBy(static tree => tree.FilePath, StringComparer.Ordinal))
        all.AddRange(new MutantFinder(compilation.GetSemanticModel(tree)).Find());
    var random = new Random(seed);
    var rest = new Queue<Mutant>(all.OrderBy(_ => random.Next()).ToList());
    Console.WriteLine($"{all.Count} changes are possible.");

    var before = Errors(compilation, compilation.SyntaxTrees).ToHashSet();
    var chosen = new List<Mutant>();
    while (chosen.Count < count && rest.Count > 0)
    {
        var added = new List<Mutant>();
        while (chosen.Count + added.Count < count && rest.TryDequeue(out var next))
            added.Add(next);
        foreach (var of in added.GroupBy(static mutant => mutant.Path))
        {
            var tree = compilation.SyntaxTrees.Single(tree => tree.FilePath == of.Key);
            foreach (var mutant in of)
            {
                var changed = CSharpSyntaxTree.ParseText(Rewriting.Apply(tree.ToString(), [mutant]), options, tree.FilePath);
                if (!Errors(compilation.ReplaceSyntaxTree(tree, changed), [changed]).Except(before).Any())
                    chosen.Add(mutant);
            }
        }
    }

    for (var i = 0; i < chosen.Count; i++)
        chosen[i].Id = i;
    return chosen;
}

static IEnumerable<(string, string)> Errors(CSharpCompilation compilation, IEnumerable<SyntaxTree> trees) =>
    trees.SelectMany(tree => compilation.GetSemanticModel(tree).GetDiagnostics()).Where(static found => found.Severity == DiagnosticSeverity.Error).Select(static found => (found.Id, found.GetMessage(CultureInfo.InvariantCulture)));

static Dictionary<string, string> Rewrite(CSharpCompilation compilation, CSharpParseOptions options, List<Mutant> mutants) =>
    mutants.GroupBy(static mutant => mutant.Path).ToDictionary(static of => of.Key, of => Rewriting.Apply(compilation.SyntaxTrees.Single(tree => tree.FilePath == of.Key).ToString(), [.. of]));

static string Run(string program, string[] arguments, string folder)
{
    var (code, output) = Processes.Run(program, arguments, folder, [], TimeSpan.FromMinutes(15));
    return code == 0 ? output : throw new InvalidOperationException($"{program} {string.Join(' ', arguments)} ended with {code}:\n{output}");
}

internal enum Outcome
{
    Survived,
    Killed,
    OutOfTime,
}

/// <summary>A change of one place.</summary>
/// <param name="Path">The file.</param>
/// <param name="Span">The place.</param>
/// <param name="Line">Its line.</param>
/// <param name="Change">The change, for people.</param>
/// <param name="Wrap">Returns the code with a switch, from the name of the switch and the code without the change.</param>
internal sealed record Mutant(string Path, TextSpan Span, int Line, string Change, Func<string, string, string> Wrap)
{
    public int Id { get; set; }

    public string Describe(string copy) => $"{System.IO.Path.GetRelativePath(copy, Path)}:{Line} {Change}";

    public Outcome Outcome { get; private set; }

    /// <summary>The test that noticed the change, or why no test did.</summary>
    public string Why { get; private set; } = "not reached by a test";

    public void Run(Suite[] suites)
    {
        foreach (var suite in suites.Where(suite => suite.Reaches(Id)))
        {
            (Outcome, Why) = suite.Run(Id);
            if (Outcome is not Outcome.Survived)
                return;
        }
    }
}

/// <summary>A suite of the copy, which is built once and run for each change.</summary>
internal sealed class Suite(string copy, string name)
{
    private const int FirstClasses = 8;
    private const int None = -1;

    private readonly string _dll = Path.Combine(copy, "Reloaded.Messaging.Tests", name, "bin/Release/net10.0", name + ".dll");
    private readonly ConcurrentBag<TestClass> _classes = [];
    private readonly ConcurrentBag<string> _leftOut = [];

    public void BuildAndRecord(int atOnce)
    {
        var (code, output) = Processes.Run(
            "dotnet",
            ["build", "-c", "Release", "-f", "net10.0", Path.Combine(copy, "Reloaded.Messaging.Tests", name), "-v", "q", "-nologo", "-p:RunAnalyzers=false", "-p:EnforceCodeStyleInBuild=false", "-p:TreatWarningsAsErrors=false"],
            copy,
            [],
            TimeSpan.FromMinutes(15));
        if (code != 0)
            throw new InvalidOperationException($"The changed code does not compile:\n{output}");

        var watch = Stopwatch.StartNew();
        var classes = Processes.Run("dotnet", [_dll, "-noColor", "-list", "classes"], copy, [], TimeSpan.FromMinutes(1)).Output.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        Parallel.ForEach(classes, new ParallelOptions { MaxDegreeOfParallelism = atOnce }, Record);
        Console.WriteLine($"{name}: {classes.Length} classes, {watch.Elapsed.TotalSeconds:F0} s without a change. Left out, because they fail: {string.Join(' ', _leftOut)}");
    }

    public bool Reaches(int mutant) => _classes.Any(type => type.Reached.Contains(mutant));

    public (Outcome Outcome, string Why) Run(int mutant)
    {
        List<string> leftOut = [.. _leftOut];
        TestClass[] all = [.. _classes.Where(type => type.Reached.Contains(mutant)).OrderByDescending(static type => type.Kills).ThenBy(static type => type.Time)];
        for (var (from, size) = (0, FirstClasses); from < all.Length; from += size, size *= 4)
        {
            var classes = all[from..Math.Min(from + size, all.Length)];
            var (limit, wasOutOfTime) = (LimitOf(classes.Aggregate(TimeSpan.Zero, static (sum, type) => sum + type.Time)), false);
            while (true)
            {
                var (code, output) = Start(mutant, limit, leftOut, classes);
                if (code == 0)
                    break;
                if (code == Processes.OutOfTime)
                {
                    if (wasOutOfTime)
                        return (Outcome.OutOfTime, "the time was up");
                    var watch = Stopwatch.StartNew(); // another program may have slowed the machine down
                    Start(None, 10 * limit, leftOut, classes);
                    (limit, wasOutOfTime) = (LimitOf(2 * watch.Elapsed), true);
                    continue;
                }

                if (FindFailures(output) is not [var test, ..])
                    return (Outcome.Killed, "the process ended");
                var type = classes.Single(type => test.StartsWith(type.Name + ".", StringComparison.Ordinal));
                if (Start(mutant, LimitOf(type.Time), leftOut, type).Code != 0)
                {
                    type.Kills++;
                    return (Outcome.Killed, test);
                }

                leftOut.Add(test); // failed by chance
            }
        }

        return (Outcome.Survived, $"reached by {all.Length} classes");
    }

    private void Record(string type)
    {
        var reached = Directory.CreateDirectory(Path.Combine(copy, "reached", type)).FullName;
        string[] arguments = [_dll, "-noColor", "-class", type];
        var watch = Stopwatch.StartNew();
        var (code, _) = Processes.Run("dotnet", arguments, copy, [("MUTANTS_REACHED", reached)], TimeSpan.FromMinutes(10));
        _classes.Add(new TestClass(type, watch.Elapsed, [.. Directory.GetFiles(reached).Select(static file => int.Parse(Path.GetFileName(file), CultureInfo.InvariantCulture))]));
        if (code == 0)
            return;
        foreach (var test in FindFailures(Processes.Run("dotnet", arguments, copy, [], TimeSpan.FromMinutes(10)).Output))
            _leftOut.Add(test);
    }

    private static TimeSpan LimitOf(TimeSpan withoutChange) => withoutChange + TimeSpan.FromSeconds(20);

    private static string[] FindFailures(string output) =>
        [.. Regex.Matches(output, @"^ +([A-Za-z0-9_.+]+).* \[FAIL\]\r?$", RegexOptions.Multiline).Select(static match => match.Groups[1].Value).Distinct()];

    private (int Code, string Output) Start(int mutant, TimeSpan limit, List<string> leftOut, params TestClass[] classes) => Processes.Run(
        "dotnet",
        [_dll, "-noColor", "-stopOnFail", .. classes.SelectMany(static type => new[] { "-class", type.Name }), .. leftOut.SelectMany(static method => new[] { "-method-", method })],
        copy,
        mutant == None ? [] : [("MUTANT", mutant.ToString(CultureInfo.InvariantCulture))],
        limit);
}

/// <summary>A class of tests.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Time">The time of its process without a change.</param>
/// <param name="Reached">The changes that it reaches.</param>
internal sealed record TestClass(string Name, TimeSpan Time, HashSet<int> Reached)
{
    /// <summary>The number of changes that it noticed.</summary>
    public int Kills { get; set; }
}

internal static class Processes
{
    public const int OutOfTime = -1;

    /// <summary>Runs a program, and ends it and what it started when its time is up: a change may make it wait for ever.</summary>
    public static (int Code, string Output) Run(string program, string[] arguments, string folder, (string Name, string Value)[] variables, TimeSpan limit)
    {
        var start = new ProcessStartInfo(program, arguments) { WorkingDirectory = folder, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (var (name, value) in variables)
            start.Environment[name] = value;
        var output = new StringBuilder();
        using var process = new Process { StartInfo = start };
        process.OutputDataReceived += (_, line) => output.AppendLine(line.Data);
        process.ErrorDataReceived += static (_, _) => { };
        process.Start();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        if (!process.WaitForExit(limit))
        {
            process.Kill(entireProcessTree: true);
            return (OutOfTime, "");
        }

        process.WaitForExit(); // until the output is complete
        return (process.ExitCode, output.ToString());
    }
}

/// <summary>Puts the changes of a file into its text. The lines stay the same.</summary>
internal static class Rewriting
{
    public static string Apply(string text, List<Mutant> mutants)
    {
        // Outer places come before the places within them, which only the unchanged branch of an outer place has.
        var places = mutants.GroupBy(static mutant => mutant.Span).OrderBy(static place => place.Key.Start).ThenByDescending(static place => place.Key.Length).ToList();
        var next = 0;
        return Render(new TextSpan(0, text.Length));

        string Render(TextSpan span)
        {
            var (result, position) = (new StringBuilder(), span.Start);
            while (next < places.Count && span.Contains(places[next].Key))
            {
                var place = places[next++];
                result.Append(text, position, place.Key.Start - position);
                result.Append(place.Aggregate(Render(place.Key), static (inner, mutant) => mutant.Wrap($"Mutants.Is({mutant.Id.ToString(CultureInfo.InvariantCulture)})", inner)));
                position = place.Key.End;
            }

            return result.Append(text, position, span.End - position).ToString();
        }
    }
}

/// <summary>Finds the places of a file and the changes there.</summary>
internal sealed class MutantFinder(SemanticModel model) : CSharpSyntaxWalker
{
    private static readonly Dictionary<string, string[]> s_operators = new()
    {
        ["<"] = ["<=", ">"],
        ["<="] = ["<", ">"],
        [">"] = [">=", "<"],
        [">="] = [">", "<"],
        ["=="] = ["!="],
        ["!="] = ["=="],
        ["&&"] = ["||"],
        ["||"] = ["&&"],
        ["+"] = ["-"],
        ["-"] = ["+"],
        ["*"] = ["/"],
        ["/"] = ["*"],
        ["%"] = ["*"],
        ["<<"] = [">>"],
        [">>"] = ["<<"],
        ["&"] = ["|"],
        ["|"] = ["&"],
        ["^"] = ["&"],
        ["+="] = ["-=", "="],
        ["-="] = ["+=", "="],
        ["++"] = ["--"],
        ["--"] = ["++"],
    };

    private readonly List<Mutant> _found = [];

    public List<Mutant> Find()
    {
        Visit(model.SyntaxTree.GetRoot());
        return _found;
    }

    public override void Visit(SyntaxNode? node)
    {
        // Constants and texts of exceptions, which no switch can change or no test compares.
        if (node is AttributeListSyntax or EnumMemberDeclarationSyntax or EqualsValueClauseSyntax { Parent: ParameterSyntax } or CaseSwitchLabelSyntax or PatternSyntax or
            ThrowStatementSyntax or ThrowExpressionSyntax or LocalDeclarationStatementSyntax { IsConst: true } or NameColonSyntax)
            return;
        if (node is FieldDeclarationSyntax { Modifiers: var modifiers } && modifiers.Any(SyntaxKind.ConstKeyword))
            return;
        if (node is InvocationExpressionSyntax { Expression: var called } && (called.ToString().StartsWith("Debug.", StringComparison.Ordinal) || called.ToString() == "nameof"))
            return;
        if (node is ExpressionStatementSyntax { Expression: InvocationExpressionSyntax { Expression: var statement } } && statement.ToString().StartsWith("Debug.", StringComparison.Ordinal))
            return;
        base.Visit(node);
    }

    public override void VisitBinaryExpression(BinaryExpressionSyntax node)
    {
        base.VisitBinaryExpression(node);
        if (Declares(node) || !s_operators.TryGetValue(node.OperatorToken.Text, out var others) || model.GetConstantValue(node).HasValue)
            return;
        var type = model.GetTypeInfo(node.Left).Type;
        if (node.OperatorToken.Text is "+" && type?.SpecialType == SpecialType.System_String)
            return;
        foreach (var other in others)
            Replace(node, $"{node.Left} {other} {node.Right}");
    }

    public override void VisitLiteralExpression(LiteralExpressionSyntax node)
    {
        if (node.IsKind(SyntaxKind.TrueLiteralExpression) || node.IsKind(SyntaxKind.FalseLiteralExpression))
        {
            if (node.Parent is not ReturnStatementSyntax)
                Replace(node, node.IsKind(SyntaxKind.TrueLiteralExpression) ? "false" : "true");
        }
        else if (node.IsKind(SyntaxKind.NumericLiteralExpression) && model.GetTypeInfo(node).ConvertedType is { SpecialType: not SpecialType.None } type)
        {
            Add(node, $"{node} + 1", (name, inner) => $"(({type.ToDisplayString()})({name} ? {node} + 1 : {inner}))");
            if (node.Token.ValueText != "0")
                Add(node, $"{node} - 1", (name, inner) => $"(({type.ToDisplayString()})({name} ? {node} - 1 : {inner}))");
        }
    }

    public override void VisitPrefixUnaryExpression(PrefixUnaryExpressionSyntax node)
    {
        base.VisitPrefixUnaryExpression(node);
        if (node.IsKind(SyntaxKind.LogicalNotExpression) && !Declares(node))
            Replace(node, node.Operand.ToString());
        else if (node.OperatorToken.Text is "++" or "--" && node.Parent is not (ExpressionStatementSyntax or ForStatementSyntax))
            Replace(node, s_operators[node.OperatorToken.Text][0] + node.Operand);
    }

    public override void VisitPostfixUnaryExpression(PostfixUnaryExpressionSyntax node)
    {
        base.VisitPostfixUnaryExpression(node);
        if (node.OperatorToken.Text is "++" or "--" && node.Parent is not (ExpressionStatementSyntax or ForStatementSyntax))
            Replace(node, node.Operand + s_operators[node.OperatorToken.Text][0]);
    }

    public override void VisitInvocationExpression(InvocationExpressionSyntax node)
    {
        // A test of the sources compares the arguments of ConfigureAwait.
        if (node.Expression is MemberAccessExpressionSyntax { Name.Identifier.Text: "ConfigureAwait", Expression: var awaited })
        {
            Visit(awaited);
            return;
        }

        base.VisitInvocationExpression(node);
        if (node.Expression.ToString() is "Math.Min" or "Math.Max")
            Replace(node, (node.Expression.ToString() == "Math.Min" ? "Math.Max" : "Math.Min") + node.ArgumentList);
    }

    public override void VisitIfStatement(IfStatementSyntax node)
    {
        base.VisitIfStatement(node);
        Decide(node.Condition);
    }

    public override void VisitWhileStatement(WhileStatementSyntax node)
    {
        base.VisitWhileStatement(node);
        Decide(node.Condition);
    }

    public override void VisitConditionalExpression(ConditionalExpressionSyntax node)
    {
        base.VisitConditionalExpression(node);
        Decide(node.Condition);
    }

    public override void VisitReturnStatement(ReturnStatementSyntax node)
    {
        base.VisitReturnStatement(node);
        if (node.Expression is not null)
            Return(node.Expression);
    }

    public override void VisitArrowExpressionClause(ArrowExpressionClauseSyntax node)
    {
        base.VisitArrowExpressionClause(node);
        Return(node.Expression);
    }

    public override void VisitExpressionStatement(ExpressionStatementSyntax node)
    {
        base.VisitExpressionStatement(node);
        if (Declares(node) || node.Expression is AssignmentExpressionSyntax { Left: TupleExpressionSyntax or DeclarationExpressionSyntax })
            return;
        Add(node, "without the statement", static (name, inner) => $"{{ if (!{name}) {inner} }}");
        var (operand, token) = node.Expression switch
        {
            PostfixUnaryExpressionSyntax postfix => (postfix.Operand, postfix.OperatorToken),
            PrefixUnaryExpressionSyntax prefix => (prefix.Operand, prefix.OperatorToken),
            AssignmentExpressionSyntax assignment => (assignment.Left, assignment.OperatorToken),
            _ => (node.Expression, default),
        };
        if (!s_operators.TryGetValue(token.Text, out var others))
            return;
        foreach (var other in others)
        {
            var changed = node.Expression is AssignmentExpressionSyntax { Right: var right } ? $"{operand} {other} {right};" : $"{operand}{other};";
            Add(node, changed, (name, inner) => $"{{ if ({name}) {Line(changed)} else {inner} }}");
        }
    }

    public override void VisitContinueStatement(ContinueStatementSyntax node) => Add(node, "without the statement", static (name, inner) => $"{{ if (!{name}) {inner} }}");

    private void Decide(ExpressionSyntax condition)
    {
        if (!Declares(condition))
        {
            if (condition is not PrefixUnaryExpressionSyntax and not BinaryExpressionSyntax { RawKind: (int)SyntaxKind.EqualsExpression or (int)SyntaxKind.NotEqualsExpression })
                Replace(condition, $"!({condition})");
            return;
        }

        // What the condition declares is assigned in one case only, so the other case alone can be forced.
        Add(condition, "false instead of the condition", static (name, inner) => $"(({inner}) && !{name})");
        Add(condition, "true instead of the condition", static (name, inner) => $"(({inner}) || {name})");
    }

    private void Return(ExpressionSyntax returned)
    {
        if (Declares(returned) || model.GetTypeInfo(returned).ConvertedType?.SpecialType != SpecialType.System_Boolean)
            return;
        foreach (var value in new[] { "true", "false" })
        {
            if (returned.ToString() != value)
                Replace(returned, value);
        }
    }

    private static bool Declares(SyntaxNode node) => node.DescendantNodesAndSelf().Any(static part => part is DeclarationExpressionSyntax or VariableDesignationSyntax or RefExpressionSyntax);

    private void Replace(ExpressionSyntax node, string changed) => Add(node, changed, (name, inner) => $"({name} ? {Line(changed)} : {inner})");

    private void Add(SyntaxNode node, string change, Func<string, string, string> wrap)
    {
        if (!node.ToString().Contains("//", StringComparison.Ordinal))
            _found.Add(new Mutant(model.SyntaxTree.FilePath, node.Span, node.GetLocation().GetLineSpan().StartLinePosition.Line + 1, $"{Line(node.ToString())} => {Line(change)}", wrap));
    }

    private static string Line(string code) => Regex.Replace(code, @"\s*\n\s*", " ");
}

/// <summary>The file that the changed project gets.</summary>
internal static class Templates
{
    public const string Switch = """
        using System;
        using System.Globalization;
        using System.IO;

        internal static class Mutants
        {
            private static readonly int s_active = int.TryParse(Environment.GetEnvironmentVariable("MUTANT"), out var id) ? id : -1;
            private static readonly string? s_folder = Environment.GetEnvironmentVariable("MUTANTS_REACHED");
            private static readonly bool[]? s_reached = s_folder is null ? null : new bool[1 << 16];

            public static bool Is(int id)
            {
                if (s_reached is not null && !s_reached[id])
                    Record(id);
                return id == s_active;
            }

            // At once, because the tests end some processes and unload some copies of the library.
            private static void Record(int id)
            {
                s_reached![id] = true;
                new FileStream(Path.Combine(s_folder!, id.ToString(CultureInfo.InvariantCulture)), FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite).Dispose();
            }
        }
        """;
}
