using System.Collections.Concurrent;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
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
    ContractRules.NotPublic,
    ContractRules.InvalidConverter,
    ContractRules.GenericDeclaration)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        var messages = new ConcurrentBag<(long Id, string Name, ISymbol Symbol)>();
        start.RegisterSymbolAction(symbol => Check(symbol, messages), SymbolKind.NamedType);
        start.RegisterSemanticModelAction(ReportConverters);
        start.RegisterSyntaxNodeAction(node => CheckDeclaration(node, messages), SyntaxKind.Attribute);
        start.RegisterCompilationEndAction(end => ReportDuplicates(end, messages));
    }

    private static void Check(SymbolAnalysisContext context, ConcurrentBag<(long Id, string Name, ISymbol Symbol)> messages)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        var isValid = true;
        if (Names.FindAttribute(type, Names.Message) is { } attribute)
        {
            if (!type.IsGenericType)
                messages.Add((MessageIds.Read(type, attribute), Names.Full(type), type));
            if (MessageIds.Given(attribute) is >= MessageIds.FirstReserved and <= MessageIds.Largest and var id)
                Report(ContractRules.ReservedId, type, type.Name, id);
            if (MessageParser.Parse(type, attribute, context.Compilation, Report) is not null || (isValid && GenericMessages.IsOpen(type)))
            {
                AddClosed(GenericMessages.PartsOf(type, context.Compilation), type, context.Compilation, messages);
                foreach (var hidden in UnsentContents.FindHidden(type, context.Compilation))
                    Report(ContractRules.NotPublic, MemberReader.Where(hidden, type), hidden.Name, type.Name);
            }
        }

        if (Names.Has(type, Names.Service) && ServiceParser.Parse(type, context.Compilation, Report) is { } service)
        {
            foreach (var (member, message) in service.Messages())
                messages.Add((message.Id, message.DisplayName, type.GetMembers(member).FirstOrDefault() ?? type));
            AddClosed(ServiceParser.PartsOf(type, context.Compilation), type, context.Compilation, messages);
        }

        void Report(DiagnosticDescriptor rule, ISymbol where, params object[] arguments)
        {
            isValid = false;
            context.ReportDiagnostic(Diagnostic.Create(rule, where.Locations.FirstOrDefault(), arguments));
        }
    }

    private static void CheckDeclaration(SyntaxNodeAnalysisContext context, ConcurrentBag<(long Id, string Name, ISymbol Symbol)> messages)
    {
        if (context.Node.Parent is not AttributeListSyntax { Target.Identifier.RawKind: (int)SyntaxKind.AssemblyKeyword })
            return;
        var compilation = context.Compilation;
        var attribute = compilation.Assembly.GetAttributes().FirstOrDefault(one => GenericDeclarations.SyntaxOf(one) == context.Node);
        if (attribute is null || !GenericDeclarations.Is(attribute))
            return;
        var type = Names.Argument(attribute, 0) as ITypeSymbol;
        var name = type?.ToDisplayString() ?? "null";
        if (GenericDeclarations.FindMistake(attribute, compilation) is { } mistake)
        {
            if (mistake.Length > 0)
                context.ReportDiagnostic(Diagnostic.Create(ContractRules.GenericDeclaration, context.Node.GetLocation(), name, mistake));
            return;
        }

        if (GenericDeclarations.GivenId(attribute) is >= MessageIds.FirstReserved and var id)
            context.ReportDiagnostic(Diagnostic.Create(ContractRules.ReservedId, context.Node.GetLocation(), name, id));
        AddClosed([(INamedTypeSymbol)type!], type!, compilation, messages);
    }

    /// <summary>Adds closed types, and those inside of them. Several messages may contain one closed type.</summary>
    private static void AddClosed(IEnumerable<INamedTypeSymbol> types, ISymbol symbol, Compilation compilation, ConcurrentBag<(long Id, string Name, ISymbol Symbol)> messages)
    {
        foreach (var model in GenericMessages.ModelsIn(types, compilation))
            messages.Add((model.Id, model.DisplayName, symbol));
    }

    private static void ReportDuplicates(CompilationAnalysisContext context, ConcurrentBag<(long Id, string Name, ISymbol Symbol)> messages)
    {
        foreach (var shared in messages.GroupBy(static message => message.Id).Where(static group => group.Count() > 1))
        {
            // A closed type is added for each message that contains it.
            var same = shared.GroupBy(static message => message.Name.IndexOf('<') < 0 ? (message.Name, message.Symbol) : (message.Name, null)).Select(static group => group.OrderBy(static message => message.Symbol.Name, System.StringComparer.Ordinal).First())
                .OrderBy(static message => message.Name, System.StringComparer.Ordinal).ToList();
            for (var i = 1; i < same.Count; i++)
                context.ReportDiagnostic(Diagnostic.Create(ContractRules.DuplicateId, same[i].Symbol.Locations.FirstOrDefault(), same[i].Name, shared.Key, same[0].Name));
        }
    }

    /// <summary>Reports the converters of the assembly that a file declares.</summary>
    private static void ReportConverters(SemanticModelAnalysisContext context)
    {
        var faults = new List<(AttributeData Attribute, string Name, string Reason)>();
        Converters.ReadAll(context.SemanticModel.Compilation.Assembly.GetAttributes(), context.SemanticModel.Compilation, faults);
        foreach (var (attribute, name, reason) in faults)
        {
            if (attribute.ApplicationSyntaxReference is { } place && place.SyntaxTree == context.SemanticModel.SyntaxTree)
                context.ReportDiagnostic(Diagnostic.Create(ContractRules.InvalidConverter, Location.Create(place.SyntaxTree, place.Span), name, reason));
        }
    }
}
