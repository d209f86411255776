using System.Collections.Concurrent;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Reports messages for which the generator cannot create a contract, and ids that two messages share.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MessageContractAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        ContractRules.DuplicateId,
        ContractRules.IdOutOfRange,
        ContractRules.UnsupportedMember,
        ContractRules.UnsupportedMessage,
        ContractRules.NotSettable,
        ContractRules.UnionCase,
        ContractRules.FieldNumber,
        ContractRules.NotPoolable,
        ContractRules.UnstableOrder,
        ContractRules.SecretInterned,
        ContractRules.NotACompressor);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (start.Compilation.GetTypeByMetadataName(Names.Message) is null)
                return;
            var messages = new ConcurrentBag<(long Id, INamedTypeSymbol Type)>();
            start.RegisterSymbolAction(symbol => Check(symbol, messages), SymbolKind.NamedType);
            start.RegisterCompilationEndAction(end => ReportDuplicates(end, messages));
        });
    }

    private static void Check(SymbolAnalysisContext context, ConcurrentBag<(long Id, INamedTypeSymbol Type)> messages)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        if (Names.FindAttribute(type, Names.Message) is not { } attribute)
            return;

        messages.Add((MessageIds.Read(type, attribute), type));
        MessageParser.Parse(type, attribute, context.Compilation, (rule, where, arguments) =>
            context.ReportDiagnostic(Diagnostic.Create(rule, where.Locations.FirstOrDefault(), arguments)));
    }

    private static void ReportDuplicates(CompilationAnalysisContext context, ConcurrentBag<(long Id, INamedTypeSymbol Type)> messages)
    {
        foreach (var shared in messages.GroupBy(static message => message.Id).Where(static group => group.Count() > 1))
        {
            var types = shared.Select(static message => message.Type).OrderBy(Names.Full, System.StringComparer.Ordinal).ToList();
            for (var i = 1; i < types.Count; i++)
                context.ReportDiagnostic(Diagnostic.Create(ContractRules.DuplicateId, types[i].Locations.FirstOrDefault(), Names.Full(types[i]), shared.Key, Names.Full(types[0])));
        }
    }
}
