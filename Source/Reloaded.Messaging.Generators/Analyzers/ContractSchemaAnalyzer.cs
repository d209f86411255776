using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;
using Reloaded.Messaging.Generators.Schemas;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Compares the contracts of the assembly with the schema that was committed.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ContractSchemaAnalyzer() : MessagingAnalyzer(Names.Message, ContractRules.IncompatibleChange, ContractRules.OutdatedSchema)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        if (FindSchema(start.Options) is not { } file)
            return;
        var messages = new ConcurrentBag<(SchemaContract Contract, Location? Location)>();
        var closed = new ConcurrentBag<(MessageModel Model, Location? Location)>();
        start.RegisterSymbolAction(
            symbol =>
            {
                if (Names.FindAttribute(symbol.Symbol, Names.Message) is { } attribute &&
                    MessageParser.Parse((INamedTypeSymbol)symbol.Symbol, attribute, symbol.Compilation, null) is { } message)
                {
                    messages.Add((SchemaContract.Of(message), symbol.Symbol.Locations.FirstOrDefault()));
                    AddClosed(GenericMessages.PartsOf((INamedTypeSymbol)symbol.Symbol, symbol.Compilation));
                }

                if (Names.Has(symbol.Symbol, Names.Service) && ServiceParser.Parse((INamedTypeSymbol)symbol.Symbol, symbol.Compilation, null) is { } service)
                {
                    foreach (var (_, part) in service.Messages())
                        messages.Add((SchemaContract.Of(part), symbol.Symbol.Locations.FirstOrDefault()));
                    AddClosed(ServiceParser.PartsOf((INamedTypeSymbol)symbol.Symbol, symbol.Compilation));
                }

                void AddClosed(IEnumerable<INamedTypeSymbol> types)
                {
                    foreach (var model in GenericMessages.ModelsIn(types, symbol.Compilation))
                        closed.Add((model, symbol.Symbol.Locations.FirstOrDefault()));
                }
            },
            SymbolKind.NamedType);
        start.RegisterCompilationEndAction(end => Compare(end, file, [.. messages, .. Distinct(closed.Concat(Declared(end.Compilation)))]));
    }

    private static IEnumerable<(MessageModel Model, Location? Location)> Declared(Compilation compilation) => compilation.Assembly.GetAttributes()
        .Where(attribute => GenericDeclarations.TypeOf(attribute) is not null && GenericDeclarations.FindMistake(attribute, compilation) is null)
        .SelectMany(attribute => GenericMessages.ModelsIn([GenericDeclarations.TypeOf(attribute)!], compilation).Select(model => (model, GenericDeclarations.SyntaxOf(attribute)?.GetLocation())));

    /// <summary>Returns each closed type once, with the first of its places.</summary>
    private static IEnumerable<(SchemaContract Contract, Location? Location)> Distinct(IEnumerable<(MessageModel Model, Location? Location)> closed) => closed
        .GroupBy(static one => one.Model.Serializer)
        .Select(static same => same.OrderBy(static one => one.Location?.SourceTree?.FilePath, StringComparer.Ordinal).ThenBy(static one => one.Location?.SourceSpan.Start).First())
        .Select(static one => (SchemaContract.Of(one.Model), one.Location));

    private static AdditionalText? FindSchema(AnalyzerOptions options)
    {
        if (!options.AnalyzerConfigOptionsProvider.GlobalOptions.TryGetValue(Names.SchemaOption, out var path) || path.Length == 0)
            return null;
        var name = Path.GetFileName(path);
        return options.AdditionalFiles.FirstOrDefault(file => string.Equals(Path.GetFileName(file.Path), name, StringComparison.OrdinalIgnoreCase));
    }

    private static void Compare(CompilationAnalysisContext context, AdditionalText file, (SchemaContract Contract, Location? Location)[] messages)
    {
        var committed = file.GetText(context.CancellationToken)?.ToString() ?? "";
        var now = messages.Select(static message => message.Contract).ToArray();
        var isIncompatible = false;
        var before = SchemaFile.TryRead(committed, out var reason);
        foreach (var (name, change) in SchemaComparison.FindChanges(before ?? [], now))
        {
            isIncompatible = true;
            context.ReportDiagnostic(Diagnostic.Create(ContractRules.IncompatibleChange, messages.FirstOrDefault(message => message.Contract.Name == name).Location, RemoteText.Clean(change, keepsLines: false)));
        }

        if (isIncompatible || committed.Replace("\r\n", "\n") == SchemaFile.Write(context.Compilation.AssemblyName, now))
            return;
        var invalid = reason is null || committed.Trim().Length == 0 ? "" : $" is not a schema ({RemoteText.Clean(reason, keepsLines: false)}) and";
        context.ReportDiagnostic(Diagnostic.Create(ContractRules.OutdatedSchema, Location.None, Path.GetFileName(file.Path) + invalid));
    }
}
