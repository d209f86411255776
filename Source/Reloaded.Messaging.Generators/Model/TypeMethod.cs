using System.Globalization;
using System.Text;

namespace Reloaded.Messaging.Generators.Model;

/// <summary>A method that the serializers of an assembly share. It writes, reads or releases values of one type.</summary>
/// <param name="Verb">The start of its name: a constant of <c>TypeMethods</c>.</param>
/// <param name="Type">The type.</param>
/// <param name="IsInterned">Whether strings come from the cache.</param>
/// <param name="IsForbidden">Whether only obsolete code may use the type.</param>
internal sealed record TypeMethod(string Verb, WireType Type, bool IsInterned, bool IsForbidden)
{
    /// <summary>The name, such as <c>Write_List_string_1f2e3d4c</c>. The hash makes the names of two methods of a class differ.</summary>
    public string Name { get; } = NameOf(Verb, Type, IsInterned);

    private static string NameOf(string verb, WireType type, bool isInterned)
    {
        var (name, identity) = (new StringBuilder(verb).Append('_'), new StringBuilder());
        AddShort(name, type.Name);
        AddIdentity(identity, type);
        return name.Append('_').Append(Fnv.Add(Fnv.Start, identity.Append(isInterned).ToString()).ToString("x8", CultureInfo.InvariantCulture)).ToString();
    }

    /// <summary>Adds the name of a type without namespaces, as a part of an identifier.</summary>
    private static void AddShort(StringBuilder name, string type)
    {
        var start = name.Length; // of the current part
        foreach (var letter in type)
        {
            if (letter is '.' or ':')
            {
                name.Length = start;
            }
            else if (char.IsLetterOrDigit(letter) || letter == '_')
            {
                name.Append(letter);
            }
            else if (letter is '<' or ',' or '[' or '?' or '(')
            {
                name.Append('_');
                start = name.Length;
            }
        }
    }

    /// <summary>Adds all in which two forms of types with one name may differ: nulls, converters, and the serializers of closed types whose arguments may be null.</summary>
    private static void AddIdentity(StringBuilder identity, WireType type)
    {
        identity.Append(type.Name).Append(type.MayBeNull ? '?' : ';').Append(type.Wrapper?.Converter).Append(type.Serializer);
        if (type.Key is not null)
            AddIdentity(identity, type.Key);
        if (type.Element is not null)
            AddIdentity(identity, type.Element);
        if (type.Items is null)
            return;
        foreach (var item in type.Items)
            AddIdentity(identity, item);
    }
}
