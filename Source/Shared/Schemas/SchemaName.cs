using System.Globalization;

namespace Reloaded.Messaging;

/// <summary>Checks the names in a schema, which exports write as code. A schema may come from anyone.</summary>
internal static class SchemaName
{
    public const string Rule = "A name has letters, digits and underscores, in parts that dots separate.";

    /// <summary>Returns whether a text is an identifier: a letter or an underscore, and then also digits and marks, as C# allows them. C# removes formatting characters, so a schema has none.</summary>
    public static bool IsIdentifier(string text)
    {
        for (var i = 0; i < text.Length; i++)
        {
            if (!IsPart(text[i], isFirst: i == 0))
                return false;
        }

        return text.Length > 0;
    }

    /// <summary>Returns whether a text is the full name of a type. A keyword in it may begin with the sign @, and a type inside of a generic type has the type arguments, as in <c>Game.@event.Table&lt;(int, string?), byte[]&gt;.State</c>.</summary>
    public static bool IsFull(string text)
    {
        var (depth, isFirst, previous) = (0, true, '.');
        foreach (var one in text)
        {
            if (one == '<' && !isFirst)
                depth++;
            else if (one == '>' && depth > 0)
                depth--;
            else if (depth > 0 ? !IsPart(one, isFirst: false) && "@.,()[]?* ".IndexOf(one) < 0 : !IsPart(one, isFirst) && (one == '@' ? previous != '.' : one != '.' || isFirst))
                return false;
            else if (depth == 0)
                isFirst = one is '.' or '@';
            previous = one;
        }

        return depth == 0 && !isFirst;
    }

    private static bool IsPart(char one, bool isFirst) => CharUnicodeInfo.GetUnicodeCategory(one) switch
    {
        UnicodeCategory.UppercaseLetter or UnicodeCategory.LowercaseLetter or UnicodeCategory.TitlecaseLetter or UnicodeCategory.ModifierLetter or UnicodeCategory.OtherLetter or UnicodeCategory.LetterNumber => true,
        UnicodeCategory.DecimalDigitNumber or UnicodeCategory.NonSpacingMark or UnicodeCategory.SpacingCombiningMark or UnicodeCategory.ConnectorPunctuation => !isFirst || one == '_',
        _ => false,
    };
}
