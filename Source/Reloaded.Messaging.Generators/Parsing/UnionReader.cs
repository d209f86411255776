using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Reads the types that are listed for an interface or an abstract class.</summary>
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
            if (CaseOf(attribute, union) is not { } type)
            {
                report(ContractRules.UnionCase, union, union.Name, $"the tag {tag} has no class");
                continue;
            }

            string? reason = null;
            if (!union.IsAbstract)
                reason = $"{union.Name} is not an interface and not an abstract class";
            else if (tag is < 0 or > LargestTag)
                reason = $"the tag is {tag}; a tag must be in the range 0 to {LargestTag}";
            else if (!tags.Add(tag))
                reason = $"the tag {tag} is already used for another type";
            else if (!types.Add(type))
                reason = $"{type.Name} already has another tag";
            else if (!compilation.HasImplicitConversion(type, union))
                reason = $"{type.Name} does not derive from {union.Name} or implement it";
            else if (type.IsAbstract || type.IsUnboundGenericType)
                reason = $"{type.Name} is not a class or a struct that can be constructed";
            else if (WireTypes.TryRead(type, compilation, out var why) is not { Kind: WireKind.Message })
                reason = $"{type.Name} is not a message: {(why.Length > 0 ? why : "mark it [Message]")}";

            if (reason is null && !union.IsGenericType && GenericMessages.FindFault(type, CompilationCache.Of(compilation).Converters, compilation) is { } fault)
                reason = fault;
            if (reason is not null)
                report(ContractRules.UnionCase, union, union.Name, reason);
            else if (WireTypes.TryRead(type, compilation, out _) is { } wire)
                cases.Add(new CaseModel(tag, wire.Name, wire.Code, wire.Serializer!));
        }

        return cases;
    }

    /// <summary>The type that an attribute lists. A case <c>typeof(Ok&lt;&gt;)</c> of a generic union has the type arguments of the union.</summary>
    public static INamedTypeSymbol? CaseOf(AttributeData attribute, INamedTypeSymbol union)
    {
        var type = attribute.AttributeClass?.ToDisplayString() == Names.Union ? Names.Argument(attribute, 1) as INamedTypeSymbol : null;
        return type is { IsUnboundGenericType: true } && type.Arity == union.Arity && !GenericMessages.IsOpen(union) && type.ContainingType is not { IsGenericType: true }
            ? type.OriginalDefinition.Construct(union.TypeArguments, union.TypeArgumentNullableAnnotations)
            : type;
    }
}
