using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The types that an interface or an abstract class stands for.</summary>
internal static class UnionReader
{
    private const int LargestTag = (1 << 28) - 1;

    public static List<CaseModel> Read(INamedTypeSymbol union, Compilation compilation, Fault report)
    {
        var cases = new List<CaseModel>();
        var tags = new HashSet<int>();
        var types = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
        foreach (var attribute in union.GetAttributes())
        {
            if (attribute.AttributeClass?.ToDisplayString() != Names.Union || Names.Argument(attribute, 0) is not int tag)
                continue;
            if (CaseOf(attribute) is not { } type)
            {
                report(ContractRules.UnionCase, union, union.Name, $"the tag {tag} has no class");
                continue;
            }

            string? reason = null;
            if (!union.IsAbstract)
                reason = $"{union.Name} is neither an interface nor an abstract class";
            else if (tag is < 0 or > LargestTag)
                reason = $"the tag {tag} is not one of 0 to {LargestTag}";
            else if (!tags.Add(tag))
                reason = $"the tag {tag} has another type";
            else if (!types.Add(type))
                reason = $"{type.Name} has another tag";
            else if (!compilation.HasImplicitConversion(type, union))
                reason = $"{type.Name} is not a {union.Name}";
            else if (type.IsAbstract || type.IsValueType || type.IsUnboundGenericType)
                reason = $"{type.Name} is not a class that can be made";
            else if (WireTypes.TryRead(type, compilation, out var why) is not { Kind: WireKind.Message })
                reason = $"{type.Name} is no message: {(why.Length > 0 ? why : "mark it [Message]")}";

            if (reason is not null)
                report(ContractRules.UnionCase, union, union.Name, reason);
            else if (WireTypes.TryRead(type, compilation, out _) is { } wire)
                cases.Add(new CaseModel(tag, wire.Name, wire.Code, wire.Serializer!));
        }

        return cases;
    }

    public static INamedTypeSymbol? CaseOf(AttributeData attribute) =>
        attribute.AttributeClass?.ToDisplayString() == Names.Union ? Names.Argument(attribute, 1) as INamedTypeSymbol : null;
}
