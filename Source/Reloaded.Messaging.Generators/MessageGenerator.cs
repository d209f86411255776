using System.Linq;
using System.Text;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;
using Reloaded.Messaging.Generators.Emitting;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;
using Reloaded.Messaging.Generators.Schemas;

namespace Reloaded.Messaging.Generators;

/// <summary>Generates the contract and the serializer of every type marked with <c>[Message]</c>, and the method that declares the contracts.</summary>
[Generator]
public sealed class MessageGenerator : IIncrementalGenerator
{
    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var messages = context.SyntaxProvider
            .ForAttributeWithMetadataName(Names.Message, static (_, _) => true, Parse)
            .Where(static message => message is not null)
            .Select(static (message, _) => message!)
            .WithTrackingName("Messages");
        context.RegisterSourceOutput(messages, static (output, message) =>
            output.AddSource(FileName(message), SourceText.From(SerializerEmitter.Emit(message), Encoding.UTF8)));

        var hasModuleInitializers = context.CompilationProvider.Select(static (compilation, _) => HasModuleInitializers(compilation));
        var rootNamespace = context.AnalyzerConfigOptionsProvider
            .Combine(context.CompilationProvider.Select(static (compilation, _) => compilation.AssemblyName))
            .Select(static (pair, _) => RootNamespace.Of(pair.Left.GlobalOptions, pair.Right));
        context.RegisterSourceOutput(
            messages.Collect().Combine(hasModuleInitializers).Combine(rootNamespace),
            static (output, all) =>
            {
                var ((found, initializers), root) = all;
                if (found.Any())
                    output.AddSource("MessageContracts.g.cs", SourceText.From(DeclarationEmitter.Emit(root, initializers, found), Encoding.UTF8));
            });

        // The compiler writes generated files, and a generator may not: so the schema is a file of comments, which the build copies.
        var schemaOf = context.AnalyzerConfigOptionsProvider
            .Combine(context.CompilationProvider.Select(static (compilation, _) => compilation.AssemblyName))
            .Select(static (pair, _) => pair.Left.GlobalOptions.TryGetValue(Names.SchemaOption, out var path) && path.Length > 0 ? pair.Right : null);
        context.RegisterSourceOutput(
            messages.Collect().Combine(schemaOf),
            static (output, all) =>
            {
                var (found, assembly) = all;
                if (assembly is not null && found.Any())
                    output.AddSource("MessageSchema.g.cs", SourceText.From(Comment(SchemaWriter.Write(assembly, found.Select(SchemaContract.Of))), Encoding.UTF8));
            });
    }

    private static string Comment(string text) => "//! " + text.TrimEnd().Replace("\n", "\n//! ") + "\n";

    /// <summary>The hash makes the names differ: file names that differ only in case are not allowed, but type names may differ only in case.</summary>
    private static string FileName(MessageModel message) =>
        $"{message.Serializer}.{Fnv.Add(Fnv.Start, message.Serializer):x8}.g.cs";

    /// <summary>Returns <c>null</c> for a type with faults. The analyzer reports the faults.</summary>
    private static MessageModel? Parse(GeneratorAttributeSyntaxContext context, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();

        // During editing, a type may be declared twice or have the attribute twice. Two files with the same name would make the generator fail.
        return context.TargetSymbol is INamedTypeSymbol type &&
            SymbolEqualityComparer.Default.Equals(((INamespaceOrTypeSymbol)type.ContainingSymbol).GetTypeMembers(type.Name, type.Arity).FirstOrDefault(), type) &&
            Names.FindAttribute(type, Names.Message) is { } attribute &&
            attribute.ApplicationSyntaxReference?.GetSyntax(cancellationToken).Parent?.Parent == context.TargetNode
            ? MessageParser.Parse(type, attribute, context.SemanticModel.Compilation, null)
            : null;
    }

    /// <summary>Returns whether the language and the target framework have module initializers. A target without the attribute may have several copies of it, one from each library.</summary>
    private static bool HasModuleInitializers(Compilation compilation) =>
        compilation is CSharpCompilation { LanguageVersion: >= LanguageVersion.CSharp9 } &&
        compilation.GetTypesByMetadataName("System.Runtime.CompilerServices.ModuleInitializerAttribute")
            .Any(attribute => compilation.IsSymbolAccessibleWithin(attribute, compilation.Assembly));
}
