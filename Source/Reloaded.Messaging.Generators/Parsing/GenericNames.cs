using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The names of closed generic types, for which C# has no identifier.</summary>
internal static class GenericNames
{
    /// <summary>The name of a type in a schema: <c>Game.Page_Of_Game_Mod</c> for <c>Game.Page&lt;Game.Mod&gt;</c>. docs/specification/binary-format.md specifies it, because derived ids depend on it.</summary>
    /// <param name="qualified">The C# type, fully qualified.</param>
    public static string InSchema(string qualified)
    {
        var name = Names.Display(qualified);
        if (name.IndexOf('<') < 0)
            return name;
        var text = new StringBuilder();
        var depth = 0;
        foreach (var one in name.Replace(", ", ","))
        {
            depth += one is '<' or '(' ? 1 : one is '>' or ')' ? -1 : 0;
            text.Append(one switch
            {
                '<' => "_Of_",
                ',' => "_And_",
                '(' => "Tuple_Of_",
                '[' => "_Array",
                '?' => "_Or_Null",
                '*' => "_Pointer",
                ' ' => "_",
                '.' when depth > 0 => "_",
                '>' or ')' or ']' or '@' => "",
                _ => one.ToString(),
            });
        }

        return text.ToString();
    }

    /// <summary>The full name of a closed type as one identifier. In contrast to the name in a schema, two types never have the same one, and it tells which references may be null.</summary>
    public static string Flat(ITypeSymbol type)
    {
        var text = new StringBuilder();
        Append(text, type);
        return text.ToString();
    }

    // No name of C# begins with a digit, so the parts cannot be mistaken for names. The part _1 belongs to services.
    private static void Append(StringBuilder text, ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
        {
            AppendArgument(text, array.ElementType, array.ElementNullableAnnotation);
            text.Append("_5").Append(array.Rank);
            return;
        }

        if (type is not INamedTypeSymbol named)
        {
            text.Append(Names.Flat(type));
            return;
        }

        if (named.ContainingType is { } outer)
            Append(text, outer);
        else if (!named.ContainingNamespace.IsGlobalNamespace)
            text.Append(Names.Flat(named.ContainingNamespace));
        text.Append(text.Length > 0 ? "_" : "").Append(named.Name.Replace("_", "_0"));
        if (named.TypeArguments.IsEmpty)
            return;
        text.Append("_2");
        for (var i = 0; i < named.TypeArguments.Length; i++)
        {
            text.Append(i == 0 ? "" : "_3");
            if (named.IsTupleType && named.TupleElements.Length == named.TypeArguments.Length && named.TupleElements[i].IsExplicitlyNamedTupleElement)
                text.Append(named.TupleElements[i].Name.Replace("_", "_0")).Append("_7");
            AppendArgument(text, named.TypeArguments[i], named.TypeArgumentNullableAnnotations[i]);
        }

        text.Append("_4");
    }

    private static void AppendArgument(StringBuilder text, ITypeSymbol type, NullableAnnotation annotation)
    {
        var part = new StringBuilder();
        Append(part, type);
        text.Append(part).Append(type.IsReferenceType && annotation != NullableAnnotation.NotAnnotated ? "_6" : "");
    }
}
