using System.Collections.Immutable;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A random contract: a message <c>M</c> with messages, version-tolerant messages, unions, structs, an enum, a tuple, types with converters and collections inside. It writes its source, a value, and what a receiver of another version must show of that value.</summary>
/// <param name="Types">The fields of each type that has random fields.</param>
/// <param name="Side">The members of the enum, and their numbers.</param>
internal sealed record RandomContract(ImmutableDictionary<string, IReadOnlyList<RandomField>> Types, IReadOnlyList<(string Name, int Number)> Side)
{
    private const string Root = "M";
    private const string Tolerant = "Ver";
    private const string Open = "Box";
    private const string Pair = "TUPLE";

    private static readonly string[] s_numbers = ["int", "long", "double", "uint"];
    private static readonly string[] s_simple = [.. s_numbers, "bool", "string", "Side", "Point", "int?", "Level", "Wide", "Side?", "Point?", "Point[]", "List<Side>"];
    private static readonly string[] s_inner = [.. s_simple, "Deep", "Slot", "Deep?", "Slot?", "List<Deep>"];
    private static readonly string[] s_cases = ["Circle", "Square"];
    private static readonly string[] s_all =
    [
        .. s_simple, "Item", "Ver", "Form", "Deep", "Slot", "Item?", "Ver?", "Form?", "Slot?", Pair, $"List<{Pair}>", "int[]", "Stack<int>", "int[,]", "Box<int>", "Box<string>", "Box<Item>", "KeyValuePair<string, int>",
        "List<Item>", "Queue<Item>", "IReadOnlyList<Item>", "List<Ver>", "Ver[]", "List<Form>", "Slot[]", "List<Slot>", "List<List<Item>>",
        "Dictionary<string, Item>", "SortedDictionary<string, Item>", "IDictionary<string, Item>", "Dictionary<string, Ver>", "Dictionary<string, Form>", "Dictionary<string, List<Slot>>",
    ];

    /// <summary>The types with random fields: the start of the names of their fields, the smallest number of fields, the number of further ones, and the types of the fields.</summary>
    private static readonly Dictionary<string, (string Prefix, int Least, int More, string[] Fields)> s_types = new()
    {
        [Root] = ("A", 4, 5, s_all),
        ["Item"] = ("I", 1, 4, s_inner),
        ["Deep"] = ("D", 1, 3, s_simple),
        ["Slot"] = ("S", 1, 3, [.. s_simple.Where(static type => type != "Level")]), // a struct has no initial value of a class that never is null
        [Tolerant] = ("V", 2, 4, s_inner),
        ["Circle"] = ("C", 1, 2, s_inner),
        ["Square"] = ("Q", 1, 2, s_inner),
        [Open] = ("B", 1, 3, s_simple),
        ["Point"] = ("P", 2, 2, ["float", "int"]),
        [Pair] = ("T", 2, 2, s_numbers),
    };

    public static RandomContract Create(Random random) => new(
        s_types.ToImmutableDictionary(static one => one.Key, one => (IReadOnlyList<RandomField>)[.. Enumerable.Range(0, one.Value.Least + random.Next(one.Value.More)).Select(i => new RandomField($"{one.Value.Prefix}{i}", Pick(random, one.Value.Fields), i * 3))]),
        [.. Enumerable.Range(0, 2 + random.Next(3)).Select(static i => ($"Member{i}", i))]);

    /// <summary>Returns this contract with a random change of one of its types.</summary>
    public RandomContract Change(Random random)
    {
        var type = Pick(random, [.. s_types.Keys, Root, "Item", Tolerant, ""]);
        return type.Length == 0 ? this with { Side = ChangeMembers(random) } : this with { Types = Types.SetItem(type, ChangeFields(random, type)) };
    }

    /// <summary>The declarations of the types.</summary>
    public string Source()
    {
        var members = string.Join(", ", Side.Select(static member => $"{member.Name} = {member.Number}"));
        return $$"""
            [assembly: MessageConverter(typeof(Converters))]
            public enum Side { {{members}} }
            public struct Point { {{Declare("Point")}} }
            public class Level { public int Number; }
            public struct Wide { private long _number; public long Number { get => _number; set => _number = value; } }
            public static class Converters
            {
                public static int ToSurrogate(Level value) => value.Number;
                public static bool TryFromSurrogate(int surrogate, out Level value) { value = new() { Number = surrogate }; return true; }
                public static long ToSurrogate(in Wide value) => value.Number;
                public static bool TryFromSurrogate(long surrogate, out Wide value) { value = new() { Number = surrogate }; return true; }
            }
            [Message(7)] public class Item { {{Declare("Item")}} }
            [Message(8)] public class Deep { {{Declare("Deep")}} }
            [Message(9)] public struct Slot { {{Declare("Slot")}} }
            [Message(10, VersionTolerant = true)] public class Ver { {{Declare(Tolerant)}} }
            [Message(11), MessageUnion(0, typeof(Circle)), MessageUnion(5, typeof(Square))] public interface Form { }
            [Message(12)] public class Circle : Form { {{Declare("Circle")}} }
            [Message(13)] public class Square : Form { {{Declare("Square")}} }
            [Message] public class Box<T> { public T V = default!; {{Declare(Open)}} }
            [Message(5)] public class M { {{Declare(Root)}} }
            public static class Shows
            {
                public static string OfForm(Form value) => value is Circle circle ? "circle " + OfCircle(circle) : "square " + OfSquare((Square)value);
                {{string.Join("\n    ", s_types.Keys.Select(type => $"public static string Of{type}{(type == Open ? "<T>" : "")}({(type == Open ? "Box<T>" : CSharp(type))} value{(type == Open ? ", string v" : "")}) => FormattableString.Invariant($\"<{(type == Open ? "V={v} " : "")}{ShowFields(type, "value")}>\");"))}}
            }
            """;
    }

    /// <summary>An expression of a value, in which the value of each field follows from its path.</summary>
    public string Value() => Expression(Root, "");

    /// <summary>The inside of an interpolated string that shows all fields of <c>m</c>.</summary>
    public string Show() => ShowFields(Root, "m");

    /// <summary>What this version must show of the value of another version, if it reads that value.</summary>
    public string Expect(RandomContract sender) => ExpectFields(Root, sender, "", isSent: true);

    private static string Pick(Random random, string[] all) => all[random.Next(all.Length)];

    private List<RandomField> ChangeFields(Random random, string type)
    {
        var (_, least, _, types) = s_types[type];
        var fields = new List<RandomField>(Types[type]);
        var at = random.Next(fields.Count);
        var isTolerant = type == Tolerant;
        switch (random.Next(9))
        {
            case 0 or 1:
                // A version-tolerant message may have a new field at any place.
                fields.Insert(isTolerant ? at : fields.Count, new RandomField($"New{random.Next()}", Pick(random, types), fields.Max(static field => field.Number) + 1));
                break;
            case 2 when fields.Count > least:
                fields.RemoveAt(fields.Count - 1);
                break;
            case 3 when fields.Count > least:
                fields.RemoveAt(at);
                break;
            case 4:
                (fields[0], fields[^1]) = (fields[^1], fields[0]);
                break;
            case 5:
                fields[at] = fields[at] with { Name = $"Renamed{random.Next()}" };
                break;
            case 6 when isTolerant:
                fields[at] = fields[at] with { Name = $"Renamed{random.Next()}", FormerName = fields[at].Name };
                break;
            case 7:
                fields[at] = fields[at] with { Type = Related(fields[at].Type, types) };
                break;
            default:
                fields[at] = fields[at] with { Type = Pick(random, types) };
                break;
        }

        return fields;
    }

    /// <summary>A type whose values look alike: the same with a question mark or without it, or another collection of the same items.</summary>
    private static string Related(string type, string[] types)
    {
        var other = type.EndsWith('?') ? type[..^1] : type + "?";
        if (types.Contains(other))
            return other;
        return types.FirstOrDefault(one => one != type && ItemOf(one) is { } item && item == ItemOf(type)) ?? (type == "int" && types.Contains("Side") ? "Side" : type == "Side" ? "uint" : type);
    }

    private List<(string Name, int Number)> ChangeMembers(Random random)
    {
        var members = new List<(string Name, int Number)>(Side);
        var at = random.Next(members.Count);
        switch (random.Next(4))
        {
            case 0:
                members.Add(($"Added{random.Next()}", members.Max(static member => member.Number) + 1));
                break;
            case 1:
                members.RemoveAt(members.Count - 1);
                break;
            case 2:
                members[at] = ($"Renamed{random.Next()}", members[at].Number);
                break;
            default:
                (members[0], members[^1]) = ((members[0].Name, members[^1].Number), (members[^1].Name, members[0].Number));
                break;
        }

        return members;
    }

    private string CSharp(string type) => type.Replace(Pair, $"({string.Join(", ", Types[Pair].Select(static item => $"{item.Type} {item.Name}"))})");

    /// <summary>The type of the items of a list, or of the values of a dictionary; <see langword="null"/> for other types.</summary>
    private static string? ItemOf(string type) =>
        type.EndsWith("[]", StringComparison.Ordinal) ? type[..^2] : Regex.Match(type, @"^(?:List|Queue|Stack|IReadOnlyList)<(.+)>$|^\w*Dictionary<string, (.+)>$") is { Success: true } match ? match.Groups[1].Value + match.Groups[2].Value : null;

    private static bool IsMap(string type) => type.Contains("Dictionary<", StringComparison.Ordinal);

    /// <summary>Declares fields, and for some of them properties that are not public.</summary>
    private string Declare(string type) => string.Join(" ", Types[type].Select(field =>
    {
        var initial = type is "Point" or "Slot" ? "" : Initial(field.Type);
        var number = type == Tolerant ? $"[MessageField({field.Number}{(field.FormerName is null ? "" : $", FormerName = \"{field.FormerName}\"")})] " : "";
        return Number(field.Name) % 3 == 0 && type != "Point"
            ? $"{number}[MessageInclude] internal {CSharp(field.Type)} {field.Name} {{ get; set; }}{initial}{(initial.Length == 0 ? "" : ";")}"
            : $"{number}public {CSharp(field.Type)} {field.Name}{initial};";
    }));

    private static string Initial(string type) => type switch
    {
        "string" => " = \"\"",
        "int[,]" => " = new int[0, 0]",
        "KeyValuePair<string, int>" => " = new(\"\", 0)",
        "Box<string>" => " = new() { V = \"\" }",
        "Box<Item>" => " = new() { V = new() }",
        "Form" => " = new Circle()",
        "Item" or "Level" or "Deep" or Tolerant or "Box<int>" => " = new()",
        _ when type.EndsWith("[]", StringComparison.Ordinal) => " = []",
        _ when type.StartsWith("IReadOnlyList", StringComparison.Ordinal) => $" = new {type[9..]}()",
        _ when type.StartsWith("IDictionary", StringComparison.Ordinal) => $" = new {type[1..]}()",
        _ => ItemOf(type) is null ? "" : " = new()",
    };

    private string Assign(string type, string path) => string.Join(", ", Types[type].Select(field => $"{field.Name} = {Expression(field.Type, path + field.Name)}"));

    private string Expression(string type, string path)
    {
        if (type.EndsWith('?'))
            return Expression(type[..^1], path);
        if (ItemOf(type) is { } item)
        {
            var value = Expression(item, path);
            return IsMap(type) ? $"new {(type[0] == 'I' ? type[1..] : type)} {{ [\"key\"] = {value} }}"
                : type.EndsWith("[]", StringComparison.Ordinal) ? $"new {CSharp(type)} {{ {value} }}"
                : type[0] is 'Q' or 'S' ? $"new {type}(new {item}[] {{ {value} }})"
                : $"new {CSharp(type[0] == 'I' ? type[9..] : type)} {{ {value} }}";
        }

        return type switch
        {
            "string" => $"\"{path}\"",
            "bool" => "true",
            "Side" => $"Side.{Side[Number(path) % Side.Count].Name}",
            "Level" or "Wide" => $"new {type} {{ Number = {Number(path)} }}",
            "Box<int>" or "Box<string>" or "Box<Item>" => $"new {type} {{ V = {Expression(type[4..^1], path)}, {Assign(Open, path)} }}",
            "Form" => Expression(CaseOf(path), path),
            "int[,]" => $"new[,] {{ {{ {Number(path)} }} }}",
            "KeyValuePair<string, int>" => $"new KeyValuePair<string, int>(\"{path}\", {Number(path)})",
            Pair => $"({string.Join(", ", Types[Pair].Select(field => Expression(field.Type, path + field.Name)))})",
            _ when Types.ContainsKey(type) => $"new {type} {{ {Assign(type, path)} }}",
            _ => $"{Number(path)}",
        };
    }

    private string ShowFields(string type, string of) => string.Join(" ", Types[type].Select(field => $"{field.Name}={ShowValue(field.Type, $"{of}.{field.Name}")}"));

    private string ShowValue(string type, string of)
    {
        if (type.EndsWith('?'))
            return $"{{({of} == null ? \"none\" : FormattableString.Invariant($\"{ShowValue(type[..^1], of + (type is "int?" or "Side?" or "Point?" or "Slot?" ? ".Value" : ""))}\"))}}";
        if (ItemOf(type) is { } item)
            return $"[{{string.Join(\",\", {of}?{(IsMap(type) ? ".Values" : "")}.Select(i => FormattableString.Invariant($\"{ShowValue(item, "i")}\")) ?? [])}}]"; // a struct that was not sent has no collections
        return type switch
        {
            "Level" or "Wide" => $"{{{of}.Number}}",
            "Box<int>" or "Box<string>" or "Box<Item>" => $"{{Shows.OfBox({of}, FormattableString.Invariant($\"{ShowValue(type[4..^1], of + ".V")}\"))}}",
            "int[,]" => $"[{{{of}.GetLength(0)}} {{string.Join(\",\", {of}.Cast<int>())}}]",
            "KeyValuePair<string, int>" => $"<{{{of}.Key}} {{{of}.Value}}>",
            "Form" => $"{{Shows.OfForm({of})}}",
            _ when Types.ContainsKey(type) => $"{{Shows.Of{type}({of})}}",
            _ => $"{{{of}}}",
        };
    }

    /// <summary>What this version shows of fields: the values that the sender gave to them, by name or number, and the defaults of the fields that the sender does not have.</summary>
    private string ExpectFields(string type, RandomContract sender, string path, bool isSent) => string.Join(" ", Types[type].Select(field =>
    {
        var theirs = isSent ? sender.Types[type].FirstOrDefault(one => type == Tolerant ? one.Number == field.Number : one.Name == field.Name) : null;
        return $"{field.Name}={ExpectValue(field.Type, theirs?.Type, sender, path + theirs?.Name)}";
    }));

    /// <summary>What this version shows of one value, whose type the sender may have replaced by another one with the same bytes; <see langword="null"/> for a value that was not sent.</summary>
    private string ExpectValue(string type, string? theirs, RandomContract sender, string path)
    {
        var isSent = theirs is not null;
        if (type.EndsWith('?'))
            return isSent ? ExpectValue(type[..^1], theirs!.TrimEnd('?'), sender, path) : "none";
        if (ItemOf(type) is { } item)
            return isSent ? $"[{ExpectValue(item, ItemOf(theirs!), sender, path)}]" : "[]";
        var number = theirs?.TrimEnd('?') switch
        {
            null => 0,
            "Side" => sender.Side[Number(path) % sender.Side.Count].Number,
            _ => Number(path),
        };
        return type switch
        {
            "string" => isSent ? path : "",
            "bool" => isSent ? "True" : "False",
            "Side" => Side.FirstOrDefault(member => member.Number == number).Name ?? $"{number}",
            "Box<int>" or "Box<string>" or "Box<Item>" => $"<V={ExpectValue(type[4..^1], isSent ? type[4..^1] : null, sender, path)} {ExpectFields(Open, sender, path, isSent)}>",
            "Form" => isSent ? $"{CaseOf(path).ToLowerInvariant()} <{ExpectFields(CaseOf(path), sender, path, true)}>" : $"circle <{ExpectFields("Circle", sender, path, false)}>",
            "int[,]" => isSent ? $"[1 {number}]" : "[0 ]",
            "KeyValuePair<string, int>" => isSent ? $"<{path} {number}>" : "< 0>",
            _ when Types.ContainsKey(type) => $"<{ExpectFields(type, sender, path, isSent)}>",
            _ => $"{number}",
        };
    }

    private static string CaseOf(string path) => s_cases[Number(path) % 2];

    private static int Number(string path)
    {
        var number = 17;
        foreach (var one in Encoding.UTF8.GetBytes(path))
            number = ((number * 31) + one) % 9973;
        return number;
    }
}

/// <summary>A field of a random contract.</summary>
/// <param name="Name">The name.</param>
/// <param name="Type">The type.</param>
/// <param name="Number">The number in a version-tolerant message.</param>
/// <param name="FormerName">The former name in a version-tolerant message; <see langword="null"/> without it.</param>
internal sealed record RandomField(string Name, string Type, int Number, string? FormerName = null);
