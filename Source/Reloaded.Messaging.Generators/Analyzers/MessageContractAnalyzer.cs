using System.Collections.Concurrent;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Reports messages and services for which the generator cannot create contracts, members that are not sent by mistake, and ids that two messages share.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MessageContractAnalyzer() : MessagingAnalyzer(
    Names.Message,
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
    ContractRules.NotACompressor,
    ContractRules.ReservedId,
    ContractRules.UnsupportedService,
    ContractRules.UnsupportedServiceMember,
    ContractRules.NotPublic)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        var messages = new ConcurrentBag<(long Id, string Name, ISymbol Symbol)>();
        start.RegisterSymbolAction(symbol => Check(symbol, messages), SymbolKind.NamedType);
        start.RegisterCompilationEndAction(end => ReportDuplicates(end, messages));
    }

    private static void Check(SymbolAnalysisContext context, ConcurrentBag<(long Id, string Name, ISymbol Symbol)> messages)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        if (Names.FindAttribute(type, Names.Message) is { } attribute)
        {
            messages.Add((MessageIds.Read(type, attribute), Names.Full(type), type));
            if (MessageIds.Given(attribute) is >= MessageIds.FirstReserved and <= MessageIds.Largest and var id)
                Report(ContractRules.ReservedId, type, type.Name, id);
            if (MessageParser.Parse(type, attribute, context.Compilation, Report) is not null)
            {
                foreach (var hidden in UnsentContents.FindHidden(type, context.Compilation))
                    Report(ContractRules.NotPublic, MemberReader.Where(hidden, type), hidden.Name, type.Name);
            }
        }

        if (Names.Has(type, Names.Service) && ServiceParser.Parse(type, context.Compilation, Report) is { } service)
        {
            foreach (var (member, message) in service.Messages())
                messages.Add((message.Id, message.DisplayName, type.GetMembers(member).FirstOrDefault() ?? type));
        }

        void Report(DiagnosticDescriptor rule, ISymbol where, params object[] arguments) =>
            context.ReportDiagnostic(Diagnostic.Create(rule, where.Locations.FirstOrDefault(), arguments));
    }

    private static void ReportDuplicates(CompilationAnalysisContext context, ConcurrentBag<(long Id, string Name, ISymbol Symbol)> messages)
    {
        foreach (var shared in messages.GroupBy(static message => message.Id).Where(static group => group.Count() > 1))
        {
            var same = shared.OrderBy(static message => message.Name, System.StringComparer.Ordinal).ToList();
            for (var i = 1; i < same.Count; i++)
                context.ReportDiagnostic(Diagnostic.Create(ContractRules.DuplicateId, same[i].Symbol.Locations.FirstOrDefault(), same[i].Name, shared.Key, same[0].Name));
        }
    }
}
