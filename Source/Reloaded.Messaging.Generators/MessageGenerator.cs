using System.Collections.Immutable;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;
using Reloaded.Messaging.Generators.Emitting;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;
using Reloaded.Messaging.Generators.Schemas;

namespace Reloaded.Messaging.Generators;

/// <summary>Generates the contract and the serializer of every type marked with <c>[Message]</c>, the client and the binding of every interface marked with <c>[MessageService]</c>, and the method that declares them. Also generates the methods that add the handler classes of worker services.</summary>
[Generator]
public sealed class MessageGenerator : IIncrementalGenerator
{
    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var marked = context.SyntaxProvider
            .ForAttributeWithMetadataName(Names.Message, static (_, _) => true, ParseMessage)
            .Where(static message => message is not null)
            .Select(static (message, _) => message!);
        var messages = marked.Select(static (one, _) => one.Message).WithTrackingName("Messages");

        var markedServices = context.SyntaxProvider
            .ForAttributeWithMetadataName(Names.Service, static (_, _) => true, ParseService)
            .Where(static service => service is not null)
            .Select(static (service, _) => service!);
        var services = markedServices.Select(static (one, _) => one.Service).WithTrackingName("Services");
        var serviceMessages = services.SelectMany(static (service, _) => service.Messages().Select(static one => one.Message));
        context.RegisterSourceOutput(services, static (output, service) =>
            output.AddSource(FileName(service.Class), SourceText.From(ServiceEmitter.Emit(service), Encoding.UTF8)));
        var all = messages.Collect().Combine(serviceMessages.Collect()).Select(static (both, _) => both.Left.AddRange(both.Right));

        var declared = context.SyntaxProvider
            .ForAttributeWithMetadataName(Names.GenericMessage, static (_, _) => true, ParseDeclared)
            .SelectMany(static (found, _) => found)
            .WithTrackingName("Declared");

        // Several messages may contain one closed type, which has one serializer.
        var closed = marked.SelectMany(static (one, _) => one.Inside).Collect()
            .Combine(markedServices.SelectMany(static (one, _) => one.Inside).Collect())
            .Combine(declared.Collect())
            .Select(static (all, _) => Distinct(all.Left.Left.Concat(all.Left.Right).Concat(all.Right.SelectMany(static one => one.Inside.Prepend(one.Message)))));
        var methods = EmitSerializers(context, messages)
            .Combine(EmitSerializers(context, serviceMessages))
            .Combine(EmitSerializers(context, closed.SelectMany(static (found, _) => found).WithTrackingName("Closed")))
            .Select(static (all, _) => Distinct(all.Left.Left.Concat(all.Left.Right).Concat(all.Right)));
        context.RegisterSourceOutput(methods, static (output, found) =>
        {
            if (found.Count > 0)
                output.AddSource("TypeMethods.g.cs", SourceText.From(TypeMethodsEmitter.Emit(found), Encoding.UTF8));
        });

        var hasModuleInitializers = context.CompilationProvider.Select(static (compilation, _) => HasModuleInitializers(compilation));
        var assemblyName = context.CompilationProvider.Select(static (compilation, _) => compilation.AssemblyName);
        var rootNamespace = context.AnalyzerConfigOptionsProvider
            .Combine(assemblyName)
            .Select(static (pair, _) => RootNamespace.Of(pair.Left.GlobalOptions, pair.Right));
        var name = context.CompilationProvider.Combine(rootNamespace).Select(static (pair, _) => DeclarationName.Of(pair.Left, pair.Right));
        context.RegisterSourceOutput(
            all.Combine(declared.Collect()).Combine(services.Collect()).Combine(hasModuleInitializers).Combine(name),
            static (output, input) =>
            {
                var ((((messages, declared), services), initializers), name) = input;
                var found = messages.AddRange(Distinct(declared.Select(static one => one.Message)));
                if (found.Any() || services.Any())
                    output.AddSource("MessageContracts.g.cs", SourceText.From(DeclarationEmitter.Emit(name, initializers, found, services), Encoding.UTF8));
            });

        var handlers = context.SyntaxProvider
            .CreateSyntaxProvider(static (node, _) => HandlerClassReader.IsCandidate(node), HandlerClassReader.Read)
            .Where(static found => found.Count > 0)
            .WithTrackingName("HandlerClasses");
        context.RegisterSourceOutput(handlers.Collect().Combine(assemblyName), static (output, input) =>
        {
            var (found, assembly) = input;
            if (found.Length > 0)
                output.AddSource("MessageHandlerClasses.g.cs", SourceText.From(HandlerClassEmitter.Emit(assembly, found.SelectMany(static classes => classes)), Encoding.UTF8));
        });

        // The compiler writes generated files, and a generator may not: so the schema is a file of comments, which the build copies.
        var schemaOf = context.AnalyzerConfigOptionsProvider
            .Combine(assemblyName)
            .Select(static (pair, _) => pair.Left.GlobalOptions.TryGetValue(Names.SchemaOption, out var path) && path.Length > 0 ? pair.Right : null);
        context.RegisterSourceOutput(
            all.Combine(closed).Combine(schemaOf),
            static (output, input) =>
            {
                var ((found, closed), assembly) = input;
                if (assembly is not null && (found.Any() || closed.Count > 0))
                    output.AddSource("MessageSchema.g.cs", SourceText.From(Comment(SchemaFile.Write(assembly, found.Concat(closed).Select(SchemaContract.Of))), Encoding.UTF8));
            });
    }

    private static string Comment(string text) => "//! " + text.TrimEnd().Replace("\n", "\n//! ") + "\n";

    /// <summary>The hash makes the names differ: file names that differ only in case are not allowed, but type names may differ only in case.</summary>
    private static string FileName(string type) => $"{type}.{Fnv.Add(Fnv.Start, type):x8}.g.cs";

    /// <summary>Emits the files of messages, and returns the shared methods that each file calls.</summary>
    private static IncrementalValueProvider<ImmutableArray<EquatableArray<TypeMethod>>> EmitSerializers(IncrementalGeneratorInitializationContext context, IncrementalValuesProvider<MessageModel> messages)
    {
        var files = messages.Select(static (message, _) => SerializerEmitter.Emit(message));
        context.RegisterSourceOutput(files, static (output, file) => output.AddSource(FileName(file.Serializer), SourceText.From(file.Text, Encoding.UTF8)));
        return files.Select(static (file, _) => file.Methods).Collect();
    }

    /// <summary>Returns <c>null</c> for a type with faults. The analyzer reports the faults.</summary>
    private static MarkedMessage? ParseMessage(GeneratorAttributeSyntaxContext context, CancellationToken cancellationToken)
    {
        var compilation = context.SemanticModel.Compilation;
        return FindMarked(context, Names.Message, cancellationToken) is var (type, attribute)
            ? ParsedTypes.Of(compilation).GetOrRead(type, () => MessageParser.Parse(type, attribute, compilation, null) is { } message
                ? new MarkedMessage(message, new(GenericMessages.ModelsIn(GenericMessages.PartsOf(type, compilation), compilation)))
                : null)
            : null;
    }

    /// <inheritdoc cref="ParseMessage"/>
    private static MarkedService? ParseService(GeneratorAttributeSyntaxContext context, CancellationToken cancellationToken)
    {
        var compilation = context.SemanticModel.Compilation;
        return FindMarked(context, Names.Service, cancellationToken) is var (type, _)
            ? ParsedTypes.Of(compilation).GetOrRead(type, () => ServiceParser.Parse(type, compilation, null) is { } service
                ? new MarkedService(service, new(GenericMessages.ModelsIn(ServiceParser.PartsOf(type, compilation), compilation)))
                : null)
            : null;
    }

    /// <summary>Returns the closed types that the attributes of one file declare.</summary>
    private static IEnumerable<MarkedMessage> ParseDeclared(GeneratorAttributeSyntaxContext context, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var compilation = context.SemanticModel.Compilation;
        foreach (var attribute in context.Attributes)
        {
            if (GenericDeclarations.TypeOf(attribute) is { } type && GenericDeclarations.FindMistake(attribute, compilation) is null && GenericMessages.ModelsIn([type], compilation).ToList() is { Count: > 0 } found)
                yield return new MarkedMessage(found[0], new(found.Skip(1)));
        }
    }

    private static EquatableArray<MessageModel> Distinct(IEnumerable<MessageModel> found) =>
        new(found.GroupBy(static one => one.Serializer).Select(static same => same.First()).OrderBy(static one => one.Serializer, StringComparer.Ordinal));

    private static EquatableArray<TypeMethod> Distinct(IEnumerable<EquatableArray<TypeMethod>> found) =>
        new(found.SelectMany(static file => file).GroupBy(static one => (one.IsForbidden, one.Name)).Select(static same => same.First()).OrderBy(static one => one.Name, StringComparer.Ordinal));

    /// <summary>Returns the marked type. During editing, a type may be declared twice or have the attribute twice. Two files with the same name would make the generator fail.</summary>
    private static (INamedTypeSymbol Type, AttributeData Attribute)? FindMarked(GeneratorAttributeSyntaxContext context, string name, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return context.TargetSymbol is INamedTypeSymbol type &&
            SymbolEqualityComparer.Default.Equals(((INamespaceOrTypeSymbol)type.ContainingSymbol).GetTypeMembers(type.Name, type.Arity).FirstOrDefault(), type) &&
            Names.FindAttribute(type, name) is { } attribute &&
            attribute.ApplicationSyntaxReference?.GetSyntax(cancellationToken).Parent?.Parent == context.TargetNode
            ? (type, attribute)
            : null;
    }

    /// <summary>Returns whether the language and the target framework have module initializers. A target without the attribute may have several copies of it, one from each library.</summary>
    private static bool HasModuleInitializers(Compilation compilation) =>
        compilation is CSharpCompilation { LanguageVersion: >= LanguageVersion.CSharp9 } &&
        compilation.GetTypesByMetadataName("System.Runtime.CompilerServices.ModuleInitializerAttribute")
            .Any(attribute => compilation.IsSymbolAccessibleWithin(attribute, compilation.Assembly));

    /// <summary>A message, and the closed types of generic messages inside of it.</summary>
    private sealed record MarkedMessage(MessageModel Message, EquatableArray<MessageModel> Inside);

    /// <summary>A service, and the closed types of generic messages in its methods and events.</summary>
    private sealed record MarkedService(ServiceModel Service, EquatableArray<MessageModel> Inside);
}
