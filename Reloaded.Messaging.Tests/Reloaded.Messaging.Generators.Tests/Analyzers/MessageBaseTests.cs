using System.Globalization;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Generators;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>A message with contents that its members do not have is reported.</summary>
public sealed class MessageBaseTests
{
    [Theory]
    [InlineData("[Message] public class [|M|] : List<string> { }", "its base class List<string> is a collection, whose items are not sent; derive from no collection, and declare a member with the items")]
    [InlineData("[Message] public class [|M|] : Dictionary<string, int> { public int A; }", "its base class Dictionary<string, int> is a collection, whose items are not sent; derive from no collection, and declare a member with the items")]
    [InlineData("[Message] public record Item(int A); [Message] public class [|M|] : System.Collections.ObjectModel.ObservableCollection<Item> { }", "its base class ObservableCollection<Item> is a collection, whose items are not sent; derive from no collection, and declare a member with the items")]
    [InlineData("public abstract class Own : HashSet<int> { } [Message] public class [|M|] : Own { public int A; }", "its base class HashSet<int> is a collection, whose items are not sent; derive from no collection, and declare a member with the items")]
    [InlineData("[Message] public class [|M|] : Exception { }", "its base class Exception is of an assembly without contracts, and its contents are not sent; derive from no such class, and declare members with the values")]
    [InlineData("[Message] public class [|M|] : MemoryStream { public int A; }", "its base class MemoryStream is of an assembly without contracts, and its contents are not sent; derive from no such class, and declare members with the values")]
    [InlineData("[Message(1), MessageUnion(0, typeof(N))] public abstract class [|M|] : Exception { } [Message(2)] public class [|N|] : M { public int A; }", "its base class Exception is of an assembly without contracts, and its contents are not sent; derive from no such class, and declare members with the values")]
    [InlineData("[Message(Pooled = true)] public class [|M|] : List<int> { }", "its base class List<int> is a collection, whose items are not sent; derive from no collection, and declare a member with the items")]
    [InlineData("public class Outer { [Message(1)] public class [|Inner|] : List<int> { } [Message(2)] public class N { public Inner? I; } }", "its base class List<int> is a collection, whose items are not sent; derive from no collection, and declare a member with the items")]
    [InlineData("[Message] public class [|M|] : IEnumerable<int> { private readonly List<int> _items = []; public void Add(int item) => _items.Add(item); public IEnumerator<int> GetEnumerator() => _items.GetEnumerator(); System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator(); }", "its items are not sent; declare a member with the items")]
    [InlineData("[Message] public struct [|M|] : System.Collections.IEnumerable { public int Count; private List<int> _items; public void Add(int item) => (_items ??= []).Add(item); public System.Collections.IEnumerator GetEnumerator() => _items.GetEnumerator(); }", "its items are not sent; declare a member with the items")]
    public async Task Message_whose_contents_are_not_sent_is_reported_with_the_way_out(string code, string reason)
    {
        var found = await Contract.Expect("RM1004", code);

        Assert.All(found, diagnostic => Assert.EndsWith($"cannot be a message: {reason}", diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("public abstract class Base { public int A; } [Message] public class M : Base { public int B; }")]
    [InlineData("[Message(1)] public record Base(int A); [Message(2)] public record M(int A, int B) : Base(A);")]
    [InlineData("[Message] public class M : EventArgs { public int A; }")]
    [InlineData("[Message] public class M : IDisposable, IEquatable<M> { public int A; public void Dispose() { } public bool Equals(M? other) => true; }")]
    [InlineData("[Message] public class M : IEnumerable<int> { public List<int> Items { get; set; } = []; public void Add(int item) => Items.Add(item); public IEnumerator<int> GetEnumerator() => Items.GetEnumerator(); System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator(); }")]
    [InlineData("[Message] public class M : IEnumerable<int> { public int From; public int To; public IEnumerator<int> GetEnumerator() { for (var i = From; i < To; i++) yield return i; } System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator(); }")]
    [InlineData("[Message] public class M { public List<string> Names = []; public void Add(string name) => Names.Add(name); }")]
    public Task Message_whose_contents_are_sent_is_not(string code) => Contract.Accept(code);

    [Theory]
    [InlineData("[Message(1)] public class Base { public int A { get; set; } }", true)]
    [InlineData("[Message(1)] public record Other; public abstract class Base { public int A { get; set; } }", true)]
    [InlineData("public abstract class Base { public int A { get; set; } }", false)]
    [InlineData("[Message(1)] public record Other; public abstract class Base : System.Collections.Generic.List<int> { public int A { get; set; } }", false)]
    public async Task Base_class_of_another_assembly_needs_contracts_there(string lower, bool isAccepted)
    {
        var reference = MetadataReference.CreateFromImage(GeneratorRunner.Emit(GeneratorRunner.Compile(Sources.Usings + lower, name: "Lower")));
        var upper = GeneratorRunner.Create(Sources.Usings + "[Message(2)] public class M : Base { public int B { get; set; } }", references: reference);

        Assert.Equal(isAccepted ? [] : ["RM1004"], (await Analyze(upper)).Select(static one => one.Id));
        Assert.Equal(isAccepted, GeneratorRunner.Driver().RunGenerators(upper).GetRunResult().GeneratedTrees.Length > 0);
    }

    [Fact]
    public async Task No_member_of_a_class_of_the_framework_travels()
    {
        var compilation = GeneratorRunner.Create("");
        var bases = AnalyzerRunner.Runtime.Select(compilation.GetAssemblyOrModuleSymbol).OfType<IAssemblySymbol>().SelectMany(static assembly => ClassesIn(assembly.GlobalNamespace)).Distinct(SymbolEqualityComparer.Default).Cast<INamedTypeSymbol>().ToList();
        var code = new StringBuilder(Sources.Usings);
        for (var i = 0; i < bases.Count; i++)
        {
            var closed = bases[i].Arity == 0 ? bases[i] : bases[i].Construct([.. Enumerable.Repeat(compilation.GetSpecialType(SpecialType.System_Int32), bases[i].Arity)]);
            code.Append(CultureInfo.InvariantCulture, $"[Message({i + 1})] public class M{i} : {closed.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)} {{ }}\n");
        }

        var messages = GeneratorRunner.Create(code.ToString());

        // The classes do not compile, because they do not implement abstract members. Their declarations are read nevertheless.
        var reported = (await Analyze(messages)).Select(static one => one.GetMessage(CultureInfo.InvariantCulture)).ToList();
        var generated = GeneratorRunner.Driver().RunGenerators(messages).GetRunResult().GeneratedTrees.Select(static tree => tree.ToString()).Where(static tree => tree.Contains("sealed class M", StringComparison.Ordinal)).ToList();

        Assert.True(bases.Count > 500, $"{bases.Count} classes of the framework were found.");
        Assert.Equal(bases.Count, reported.Count + generated.Count);
        Assert.Contains("class M" + bases.FindIndex(static one => one.Name == "EventArgs") + "Serializer", Assert.Single(generated), StringComparison.Ordinal);
        Assert.DoesNotContain("value.@", generated[0], StringComparison.Ordinal);
    }

    private static async Task<IEnumerable<Diagnostic>> Analyze(CSharpCompilation compilation) =>
        await compilation.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);

    private static IEnumerable<INamedTypeSymbol> ClassesIn(INamespaceSymbol space) => space.GetNamespaceMembers().SelectMany(ClassesIn).Concat(space.GetTypeMembers().Where(static type =>
        type is { TypeKind: TypeKind.Class, DeclaredAccessibility: Accessibility.Public, IsSealed: false, IsStatic: false, SpecialType: SpecialType.None }));
}
