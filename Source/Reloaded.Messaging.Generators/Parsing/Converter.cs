using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A pair of methods of the program that convert a type to its surrogate and back.</summary>
/// <param name="Class">The type with the methods.</param>
/// <param name="Type">The converted type.</param>
/// <param name="Surrogate">The type that is sent instead.</param>
internal sealed record Converter(INamedTypeSymbol Class, ITypeSymbol Type, ITypeSymbol Surrogate)
{
    public const string To = "ToSurrogate";
    public const string From = "TryFromSurrogate";

    /// <summary>Reads the pairs of a class.</summary>
    /// <param name="type">The argument of the attribute.</param>
    /// <param name="compilation">The compilation.</param>
    /// <param name="faults">Receives the reasons why the class or a pair is not valid.</param>
    public static List<Converter> Read(ITypeSymbol? type, Compilation compilation, List<string> faults)
    {
        var found = new List<Converter>();
        if (type is { TypeKind: TypeKind.Error })
            return found; // the compiler reports the missing type
        if (FindObstacle(type, compilation) is { } obstacle)
        {
            faults.Add(obstacle);
            return found;
        }

        var named = (INamedTypeSymbol)type!;
        var back = named.GetMembers(From).ToList();
        foreach (var member in named.GetMembers(To))
        {
            if (member is not IMethodSymbol { IsStatic: true, Arity: 0, ReturnsVoid: false, RefKind: RefKind.None, Parameters.Length: 1 } to || !IsInput(to.Parameters[0]) || !IsUsable(to, compilation))
            {
                faults.Add($"'{To}' is not an accessible 'static S {To}(T value)'");
                continue;
            }

            var (source, target) = (to.Parameters[0].Type, to.ReturnType);
            if (source.TypeKind == TypeKind.Error || target.TypeKind == TypeKind.Error)
                continue;
            var matches = back.FindAll(one => IsBack(one, source, target) && IsUsable(one, compilation));
            back.RemoveAll(matches.Contains);
            if (FindObstacle(source, target, found.Exists(one => Same(one.Type, source)), matches.Count) is { } reason)
                faults.Add(reason);
            else
                found.Add(new Converter(named, source, target));
        }

        if (faults.Count == 0 && back.Count > 0)
            faults.Add($"'{From}' has no accessible 'static S {To}(T value)' with its types, or is not an accessible 'static bool {From}(S surrogate, out T value)'");
        else if (found.Count == 0 && faults.Count == 0)
            faults.Add($"it has no method 'static S {To}(T value)'");
        return found;
    }

    /// <summary>The name of a type for messages to the user, without a question mark after a reference.</summary>
    public static string Show(ITypeSymbol type) => type.WithNullableAnnotation(NullableAnnotation.None).ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat);

    private static string? FindObstacle(ITypeSymbol? type, Compilation compilation)
    {
        if (type is not INamedTypeSymbol named)
            return "it is not a class or a struct";
        if (named.IsUnboundGenericType)
            return "it is an open generic type; name its type arguments";
        if (!compilation.IsSymbolAccessibleWithin(named, compilation.Assembly) || Visibility.IsFileLocal(named))
            return "generated code cannot access it; make it internal or public";
        if (!Visibility.IsGlobal(named, compilation))
            return "its assembly is referenced by an extern alias only; add the alias 'global' to the reference";
        return ForbiddenUse.IsTypeForbidden(named) ? "it is obsolete with an error" : null;
    }

    private static string? FindObstacle(ITypeSymbol source, ITypeSymbol target, bool isDouble, int matches)
    {
        var (from, to) = (Show(source), Show(target));
        if (isDouble)
            return $"it has two methods '{To}' for {from}";
        if (Same(source, target))
            return $"the surrogate of {from} is {from}";
        if (IsNullable(source))
            return $"it converts {from}; convert the type without '?', because null is sent without a call";
        if (IsNullable(target))
            return $"the surrogate {to} is nullable; use a type without '?'";
        return matches == 1 ? null : $"it has no accessible 'static bool {From}({to} surrogate, out {from} value)'";
    }

    private static bool IsNullable(ITypeSymbol type) => type is { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } or { IsReferenceType: true, NullableAnnotation: NullableAnnotation.Annotated };

    private static bool IsUsable(ISymbol member, Compilation compilation) => compilation.IsSymbolAccessibleWithin(member, compilation.Assembly) && !ForbiddenUse.IsForbidden(member);

    private static bool IsBack(ISymbol member, ITypeSymbol source, ITypeSymbol target) =>
        member is IMethodSymbol { IsStatic: true, Arity: 0, RefKind: RefKind.None, ReturnType.SpecialType: SpecialType.System_Boolean, Parameters.Length: 2 } back &&
        IsInput(back.Parameters[0]) && back.Parameters[1].RefKind == RefKind.Out && Same(back.Parameters[0].Type, target) && Same(back.Parameters[1].Type, source);

    private static bool IsInput(IParameterSymbol parameter) => parameter.RefKind is RefKind.None or RefKind.In;

    private static bool Same(ITypeSymbol one, ITypeSymbol other) => SymbolEqualityComparer.Default.Equals(one, other);
}
