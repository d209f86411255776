using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The closed types of generic messages in a compilation. Each closed type is a message of its own, which the members that use it declare.</summary>
internal static class GenericMessages
{
    /// <summary>The maximum nesting of type arguments. A generic type may contain itself, closed over itself, without end.</summary>
    private const int MaxNesting = 8;

    private const int MaxTypes = 256;

    /// <summary>Returns whether a type is a generic message, or is nested in a generic type. The type may be open.</summary>
    public static bool Is(ITypeSymbol type) => type is INamedTypeSymbol { IsGenericType: true } && Names.Has(type, Names.Message);

    /// <summary>Returns whether a type is the declaration of a generic type, whose arguments are not known.</summary>
    public static bool IsOpen(INamedTypeSymbol type) => type is { IsGenericType: true, IsDefinition: true };

    /// <summary>Returns the reason why a closed type cannot be a message, or <c>null</c> if no reason is found without its members.</summary>
    public static string? FindObstacle(INamedTypeSymbol type, Compilation compilation)
    {
        var nesting = NestingOf(type);
        return nesting > MaxNesting ? $"its type arguments nest more than {MaxNesting} types" : nesting < 0 ? "its type arguments are not known" : Visibility.FindObstacle(type, compilation);
    }

    /// <summary>Returns whether a type is or contains a type parameter.</summary>
    public static bool IsUnknown(ITypeSymbol type) => NestingOf(type) < 0;

    /// <summary>The models of closed types, and of those inside of them, for which this assembly has the serializers.</summary>
    public static IEnumerable<MessageModel> ModelsIn(IEnumerable<INamedTypeSymbol> types, Compilation compilation) => Walk(types, compilation).Select(static one => one.Closed.Model).OfType<MessageModel>();

    /// <summary>The closed types that the members of a message or the types of a union are or contain, without those inside of them.</summary>
    public static IEnumerable<INamedTypeSymbol> PartsOf(INamedTypeSymbol type, Compilation compilation) => type.IsAbstract
        ? type.GetAttributes().Select(attribute => UnionReader.CaseOf(attribute, type)).OfType<INamedTypeSymbol>().Where(Is)
        : MemberReader.Read(type, compilation).SelectMany(member => In(member.Type, Converters.Of(Converters.AttributesOf(member), compilation), compilation));

    /// <summary>Returns the reason why a closed type inside of a type cannot be a message; <c>null</c> if there is none, and an empty text if the compiler reports it.</summary>
    public static string? FindFault(ITypeSymbol type, Converters converters, Compilation compilation)
    {
        foreach (var (closed, found) in Walk(In(type, converters, compilation), compilation))
        {
            if (found.Model is null)
                return found.Fault.Length == 0 ? "" : SymbolEqualityComparer.Default.Equals(closed, type) ? found.Fault : $"{closed.ToDisplayString()} cannot be a message: {found.Fault}";
        }

        return null;
    }

    private static IEnumerable<(INamedTypeSymbol Type, ClosedType Closed)> Walk(IEnumerable<INamedTypeSymbol> types, Compilation compilation)
    {
        var all = CompilationCache.Of(compilation).Closed;
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var queue = new Queue<INamedTypeSymbol>(types);
        while (queue.Count > 0)
        {
            var type = queue.Dequeue();
            if (FindObstacle(type, compilation) is not null || !GenericDeclarations.IsOwn(type, compilation))
                continue;
            var name = Names.Serializer(type);
            if (!seen.Add(name))
                continue;
            if (seen.Count > MaxTypes)
            {
                yield return (type, new ClosedType(null, $"more than {MaxTypes} closed types are inside of it", []));
                yield break;
            }

            var closed = all.GetOrAdd(name, _ => Read(type, compilation));
            yield return (type, closed);
            foreach (var one in closed.Inside)
                queue.Enqueue(one);
        }
    }

    private static ClosedType Read(INamedTypeSymbol type, Compilation compilation)
    {
        var fault = "";
        var model = MessageParser.Parse(type, Names.FindAttribute(type, Names.Message)!, compilation, (rule, _, arguments) =>
        {
            if (fault.Length == 0)
                fault = rule == ContractRules.UnsupportedMessage ? $"{arguments[1]}" : rule == ContractRules.UnsupportedMember ? $"'{arguments[0]}' has the type {arguments[1]}: {arguments[2]}" : Format(rule, arguments);
        });
        return new ClosedType(model, fault, model is null ? [] : [.. PartsOf(type, compilation)]);
    }

    private static string Format(DiagnosticDescriptor rule, object[] arguments) =>
        string.Format(CultureInfo.InvariantCulture, rule.MessageFormat.ToString(CultureInfo.InvariantCulture), arguments).TrimEnd('.');

    /// <summary>The closed types of generic messages that the form of a type on the wire is or contains, without those inside of them.</summary>
    public static IEnumerable<INamedTypeSymbol> In(ITypeSymbol type, Converters converters, Compilation compilation, int nesting = 0) => type switch
    {
        _ when converters.Find(type) is { } converter => In(converter.Surrogate, converters.Without(converter), compilation, nesting),
        IArrayTypeSymbol array => In(array.ElementType, converters, compilation, nesting),
        INamedTypeSymbol { IsGenericType: true } closed when Is(closed) => [closed],

        // The compiler reports a struct that contains itself. The generator can still see such a struct during editing.
        INamedTypeSymbol { IsTupleType: false, IsValueType: true, SpecialType: SpecialType.None } named when nesting < MaxNesting && OpenStruct.Find(named, "", compilation) is { } open => In(open.Type, converters, compilation, nesting + 1),
        INamedTypeSymbol generic => generic.TypeArguments.SelectMany(argument => In(argument, converters, compilation, nesting)),
        _ => [],
    };

    /// <summary>The nesting of type arguments; less than zero if an argument is not known.</summary>
    private static int NestingOf(ITypeSymbol type)
    {
        var (deepest, open) = (0, false);
        for (var outer = type as INamedTypeSymbol; outer is not null; outer = outer.ContainingType)
        {
            foreach (var argument in outer.TypeArguments)
                Add(argument);
        }

        if (type is IArrayTypeSymbol array)
            Add(array.ElementType);
        return open || type.TypeKind is TypeKind.TypeParameter or TypeKind.Error ? -1 : deepest;

        void Add(ITypeSymbol part)
        {
            var nesting = NestingOf(part);
            open |= nesting < 0;
            deepest = Math.Max(deepest, nesting + 1);
        }
    }
}

/// <summary>What was found for a closed type of a generic message.</summary>
/// <param name="Model">The model; <c>null</c> if the type cannot be a message.</param>
/// <param name="Fault">The reason; empty if there is none, or if the compiler reports it.</param>
/// <param name="Inside">The closed types inside.</param>
internal sealed record ClosedType(MessageModel? Model, string Fault, IReadOnlyList<INamedTypeSymbol> Inside);
