using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds the methods of a message that are called before it is written, and after it was read. Those of base classes come first.</summary>
internal static class CallbackReader
{
    public static List<CallbackModel> Read(INamedTypeSymbol type, Compilation compilation, Fault report)
    {
        var isInside = PartialTypes.Is(type, compilation);
        var hierarchy = new Stack<INamedTypeSymbol>();
        for (var part = type; part is not null && part.SpecialType == SpecialType.None; part = part.BaseType)
            hierarchy.Push(part);

        var callbacks = new List<CallbackModel>();
        foreach (var method in hierarchy.SelectMany(static part => part.GetMembers().OfType<IMethodSymbol>()))
        {
            foreach (var isAfter in new[] { false, true })
            {
                var attribute = isAfter ? Names.AfterReading : Names.BeforeWriting;
                if (!Names.Has(method, attribute) || callbacks.Exists(other => other.Method == method.Name && other.IsAfterReading == isAfter))
                    continue; // an override is called for the method that it overrides
                if (FindMistake(method, type, compilation, isInside) is { } mistake)
                    report(ContractRules.UnsupportedMessage, SymbolEqualityComparer.Default.Equals(method.ContainingType, type) ? method : type, type.Name, $"its method '{method.Name}' with [{(isAfter ? "AfterReading" : "BeforeWriting")}] {mistake}");
                callbacks.Add(new CallbackModel(method.Name, isAfter, !compilation.IsSymbolAccessibleWithin(method, compilation.Assembly)));
            }
        }

        return callbacks;
    }

    private static string? FindMistake(IMethodSymbol method, INamedTypeSymbol type, Compilation compilation, bool isInside)
    {
        if (method.IsStatic || method.IsGenericMethod || !method.Parameters.IsEmpty || !method.ReturnsVoid || method.MethodKind != MethodKind.Ordinary)
            return "is not an instance method without parameters that returns void";
        if (method.IsAsync)
            return "is asynchronous, and nothing waits for it";
        if (!PartialTypes.CanAccess(method, type, compilation, isInside))
            return "is not accessible; make the type partial, or the method internal or public";
        var isHidden = !compilation.IsSymbolAccessibleWithin(method, compilation.Assembly);
        return MemberReader.HidingOf(method, type).Any(other => (isHidden || compilation.IsSymbolAccessibleWithin(other, compilation.Assembly)) && IsCalledInstead(other))
            ? "is hidden by another member with this name; rename one of the two"
            : null;
    }

    private static bool IsCalledInstead(ISymbol other) => !other.IsOverride && (other is not IMethodSymbol method || method.Parameters.All(static parameter => parameter.IsOptional || parameter.IsParams));
}
