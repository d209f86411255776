using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>A library that sends values.</summary>
/// <param name="name">Its name in the table.</param>
/// <param name="generators">Its generators.</param>
/// <param name="analyzers">Its analyzers.</param>
/// <param name="isOwn">Whether a diagnostic is one of the library.</param>
/// <param name="marks">The attributes that stand for the marks of a source.</param>
/// <param name="send">Writes a value and reads it.</param>
public sealed partial class Codec(string name, IReadOnlyList<ISourceGenerator> generators, ImmutableArray<DiagnosticAnalyzer> analyzers, Func<string, bool> isOwn, Dictionary<string, string> marks, MethodInfo send)
{
    private const string Usings = """
        using System; using System.Collections; using System.Collections.Generic; using System.Collections.Concurrent; using System.Collections.Frozen; using System.Collections.Immutable;
        using System.Collections.ObjectModel; using System.Drawing; using System.Globalization; using System.Linq; using System.Net; using System.Numerics; using System.Runtime.CompilerServices;
        using System.Runtime.InteropServices; using System.Text;

        """;

    public static ImmutableArray<MetadataReference> References { get; } =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(static path => !Path.GetFileName(path).StartsWith("Microsoft.CodeAnalysis", StringComparison.Ordinal))
            .Select(static path => MetadataReference.CreateFromFile(path)),
    ];

    public static IReadOnlyList<string> Symbols { get; } = ["NET", .. Enumerable.Range(5, 6).Select(static version => $"NET{version}_0_OR_GREATER")];

    private static int s_count;

    public static IReadOnlyList<Codec> All { get; } = [Library(), MemoryPack(), MessagePack()];

    public string Name => name;

    public IReadOnlyList<ISourceGenerator> Generators => generators;

    /// <summary>Compiles a shape, and sends its value.</summary>
    public Outcome Try(Shape shape)
    {
        var code = Mark().Replace(shape.Source, mark => Expand(mark.Groups[1].Value, mark.Groups[2].Value));
        var usings = Usings + string.Concat(marks["using"].Split(' ').Select(static one => $"using {one};\n"));
        var options = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.None, preprocessorSymbols: Symbols);
        var assemblyName = $"Shape{s_count++}";
        var (attributes, types) = Split(code);
        var compilation = CSharpCompilation.Create(
            assemblyName,
            [CSharpSyntaxTree.ParseText($"{usings}{attributes}\n{types}\npublic static class Test {{ public static {shape.Type} Value() => {shape.Value}; }}", options)],
            References,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        CSharpGeneratorDriver.Create(generators, parseOptions: options).RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported);
        var errors = output.GetDiagnostics().AddRange(reported).Where(static one => one.Severity == DiagnosticSeverity.Error).ToList();
        if (!analyzers.IsEmpty)
            errors.AddRange(output.WithAnalyzers(analyzers).GetAnalyzerDiagnosticsAsync().GetAwaiter().GetResult().Where(static one => one.Severity == DiagnosticSeverity.Error));
        var inGenerated = errors.Find(one => one.Location.SourceTree is { } tree && tree != compilation.SyntaxTrees[0]);
        if (errors.Find(one => isOwn(one.Id)) is { } own && (inGenerated is null || inGenerated.Id == own.Id))
            return new(OutcomeKind.Refused, $"{own.Id}: {own.GetMessage(null)}");
        if (errors.Count > 0)
            return new(OutcomeKind.Broken, (inGenerated ?? errors[0]).ToString());

        using var image = new MemoryStream();
        var emitted = output.Emit(image);
        if (!emitted.Success)
            return new(OutcomeKind.Broken, emitted.Diagnostics.First(static one => one.Severity == DiagnosticSeverity.Error).ToString());
        image.Position = 0;
        return Send(AssemblyLoadContext.Default.LoadFromStream(image).GetType("Test")!.GetMethod("Value")!);
    }

    private Outcome Send(MethodInfo make)
    {
        try
        {
            var value = make.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [], null);
            var sent = ValuePrinter.Print(value);
            var received = ValuePrinter.Print(send.MakeGenericMethod(make.ReturnType).Invoke(null, BindingFlags.DoNotWrapExceptions, null, [value], null));
            return sent == received ? new(OutcomeKind.Works) : new(OutcomeKind.Differs, $"sent {Short(sent)}, received {Short(received)}");
        }
#pragma warning disable CA1031 // The exception is the result.
        catch (Exception exception)
        {
            return new(OutcomeKind.Throws, $"{exception.GetType().Name}: {exception.Message.ReplaceLineEndings(" ")}");
        }
#pragma warning restore CA1031
    }

    private static string Short(string text) => text.Length > 200 ? text[..200] + "…" : text;

    /// <summary>The attributes of the assembly come before its types.</summary>
    private static (string Attributes, string Types) Split(string code)
    {
        var found = AssemblyAttribute().Matches(code);
        return (string.Concat(found.Select(static one => one.Value)), AssemblyAttribute().Replace(code, ""));
    }

    /// <summary>Writes the attributes that stand for a mark. The argument of a union is a list such as <c>0 A;1 B</c>.</summary>
    private string Expand(string mark, string argument)
    {
        if (mark == "U")
            argument = string.Join(", ", argument.Split(';').Select(one => $"{marks["case"]}({one.Split(' ')[0]}, typeof({one.Split(' ')[1]}))"));
        return marks.TryGetValue(mark, out var text) ? text.Replace("{0}", argument, StringComparison.Ordinal) : throw new InvalidOperationException($"{Name} has no text for the mark {{{mark}}}. Add it to its marks.");
    }

    private static Codec Library() => new(
        "here",
        [new Generators.MessageGenerator().AsSourceGenerator()],
        [new Generators.Analyzers.MessageContractAnalyzer()],
        static id => id.StartsWith("RM", StringComparison.Ordinal),
        new()
        {
            ["using"] = "Reloaded.Messaging",
            ["M"] = "[Message]",
            ["S"] = "",
            ["V"] = "[Message(VersionTolerant = true)]",
            ["K"] = "[MessageField({0})]",
            ["I"] = "[MessageIgnore]",
            ["U"] = "[Message, {0}]",
            ["case"] = "MessageUnion",
            ["convert"] = "[MessageConverter(typeof({0}Converter))]",
            ["parameter"] = "[MessageConverter(typeof({0}Converter))]",
            ["C"] = "[MessageConstructor]",
            ["P"] = "[MessageInclude]",
            ["closed"] = "[assembly: GenericMessage(typeof({0}))]",
            ["global"] = "[assembly: MessageConverter(typeof({0}Converter))]",
            ["bare"] = "MessageField({0})",
            ["before"] = "[BeforeWriting]",
            ["after"] = "[AfterReading]",
            ["receiver"] = "",
            ["converter"] = "public static class {0}Converter { public static int ToSurrogate({0} value) => value.Number(); public static bool TryFromSurrogate(int surrogate, out {0} value) { value = {0}.Of(surrogate); return true; } }",
        },
        Method(nameof(SendHere)));

    private static Codec MemoryPack() => new(
        "MemoryPack",
        [.. Load("MemoryPack.Generator.dll")],
        [],
        static id => id.StartsWith("MEMPACK", StringComparison.Ordinal),
        new()
        {
            ["using"] = "MemoryPack",
            ["M"] = "[MemoryPackable]",
            ["S"] = "",
            ["V"] = "[MemoryPackable(GenerateType.VersionTolerant)]",
            ["K"] = "[MemoryPackOrder({0})]",
            ["I"] = "[MemoryPackIgnore]",
            ["U"] = "[MemoryPackable, {0}]",
            ["case"] = "MemoryPackUnion",
            ["convert"] = "[{0}Formatter]",
            ["parameter"] = "[property: {0}Formatter]",
            ["C"] = "[MemoryPackConstructor]",
            ["P"] = "[MemoryPackInclude]",
            ["closed"] = "",
            ["global"] = "public static class Registering { [ModuleInitializer] public static void Register() => MemoryPackFormatterProvider.Register(new {0}Formatter()); }",
            ["bare"] = "MemoryPackOrder({0})",
            ["before"] = "[MemoryPackOnSerializing]",
            ["after"] = "[MemoryPackOnDeserialized]",
            ["receiver"] = "",
            ["converter"] = """
                public sealed class {0}FormatterAttribute : MemoryPackCustomFormatterAttribute<{0}> { public override IMemoryPackFormatter<{0}> GetFormatter() => new {0}Formatter(); }
                public sealed class {0}Formatter : MemoryPackFormatter<{0}>
                {
                    public override void Serialize<TBufferWriter>(ref MemoryPackWriter<TBufferWriter> writer, scoped ref {0}? value) => writer.WriteUnmanaged(value is null ? int.MinValue : value.Number());
                    public override void Deserialize(ref MemoryPackReader reader, scoped ref {0}? value) => value = reader.ReadUnmanaged<int>() is not int.MinValue and var number ? {0}.Of(number) : null;
                }
                """,
        },
        Method(nameof(SendMemoryPack)));

    private static Codec MessagePack() => new(
        "MessagePack",
        [],
        [],
        static _ => false,
        new()
        {
            ["using"] = "MessagePack",
            ["M"] = "[MessagePackObject(true)]",
            ["S"] = "[MessagePackObject(true)]",
            ["V"] = "[MessagePackObject]",
            ["K"] = "[Key({0})]",
            ["I"] = "[IgnoreMember]",
            ["U"] = "[{0}]",
            ["case"] = "Union",
            ["convert"] = "[MessagePackFormatter(typeof({0}Formatter))]",
            ["parameter"] = "[property: MessagePackFormatter(typeof({0}Formatter))]",
            ["C"] = "[SerializationConstructor]",
            ["P"] = "",
            ["closed"] = "",
            ["global"] = "",
            ["bare"] = "Key({0})",
            ["before"] = "",
            ["after"] = "",
            ["receiver"] = ": IMessagePackSerializationCallbackReceiver",
            ["converter"] = """
                public sealed class {0}Formatter : global::MessagePack.Formatters.IMessagePackFormatter<{0}?>
                {
                    public void Serialize(ref MessagePackWriter writer, {0}? value, MessagePackSerializerOptions options) { if (value is null) writer.WriteNil(); else writer.Write(value.Number()); }
                    public {0}? Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) => reader.TryReadNil() ? null : {0}.Of(reader.ReadInt32());
                }
                """,
        },
        Method(nameof(SendMessagePack)));

    private static MethodInfo Method(string name) => typeof(Codec).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Static)!;

    private static T SendHere<T>(T value)
    {
        var contract = new MessageContract<T>(1, MessageContract.GetDeclared<T>().Serializer);
        using var packed = new MessageWriter().Pack(contract, value);
        return contract.Serializer.TryDeserialize(packed.Span[1..], out var received) ? received! : throw new InvalidDataException("The payload is refused.");
    }

    private static T SendMemoryPack<T>(T value) => global::MemoryPack.MemoryPackSerializer.Deserialize<T>(global::MemoryPack.MemoryPackSerializer.Serialize(value))!;

    private static T SendMessagePack<T>(T value) => global::MessagePack.MessagePackSerializer.Deserialize<T>(global::MessagePack.MessagePackSerializer.Serialize(value));

    private static IEnumerable<ISourceGenerator> Load(string file) => Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, file)).GetTypes()
        .Where(static type => type.IsDefined(typeof(GeneratorAttribute), inherit: false))
        .Select(static type => Activator.CreateInstance(type) switch
        {
            IIncrementalGenerator incremental => incremental.AsSourceGenerator(),
            object other => (ISourceGenerator)other,
            null => throw new InvalidOperationException($"{type} could not be created."),
        });

    [GeneratedRegex(@"\{([A-Za-z]+)(?::([^{}]*))?\}")]
    private static partial Regex Mark();

    [GeneratedRegex(@"\[assembly: [^\]]*\]")]
    private static partial Regex AssemblyAttribute();
}
