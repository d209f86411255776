using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A random contract: a message <c>M</c> with messages, a struct, an enum, a tuple, types with converters and collections inside. It writes its source, a value, and what a receiver of another version must show of that value.</summary>
/// <param name="M">The fields of the message.</param>
/// <param name="Item">The fields of the message inside, which lists and dictionaries contain.</param>
/// <param name="Box">The fields of the generic message, after a field of its type argument.</param>
/// <param name="Point">The fields of the plain struct.</param>
/// <param name="Tuple">The items of the tuple.</param>
/// <param name="Side">The members of the enum, and their numbers.</param>
internal sealed record RandomContract(
    IReadOnlyList<RandomField> M,
    IReadOnlyList<RandomField> Item,
    IReadOnlyList<RandomField> Box,
    IReadOnlyList<RandomField> Point,
    IReadOnlyList<RandomField> Tuple,
    IReadOnlyList<(string Name, int Number)> Side)
{
    private static readonly string[] s_numbers = ["int", "long", "double", "uint"];
    private static readonly string[] s_simple = [.. s_numbers, "bool", "string", "Side", "Point", "int?", "Level", "Wide"];
    private static readonly string[] s_lists = ["List<Item>", "Queue<Item>", "IReadOnlyList<Item>"];
    private static readonly string[] s_maps = ["Dictionary<string, Item>", "SortedDictionary<string, Item>", "IDictionary<string, Item>"];
    private static readonly string[] s_all = [.. s_simple, "Item", .. s_lists, .. s_maps, "TUPLE", "int[]", "Stack<int>", "int[,]", "Box<int>", "Box<string>", "KeyValuePair<string, int>"];

    public static RandomContract Create(Random random) => new(
        Fields(random, "A", 4 + random.Next(5), s_all),
        Fields(random, "I", 1 + random.Next(4), s_simple),
        Fields(random, "B", 1 + random.Next(3), s_simple),
        Fields(random, "P", 2 + random.Next(2), ["float", "int"]),
        Fields(random, "T", 2 + random.Next(2), s_numbers),
        [.. Enumerable.Range(0, 2 + random.Next(3)).Select(static i => ($"Member{i}", i))]);

    /// <summary>Returns this contract with a random change: of the message, of a message inside, of the struct, of the tuple, or of the enum.</summary>
    public RandomContract Change(Random random) => random.Next(6) switch
    {
        0 => this with { M = ChangeFields(random, M, s_all) },
        1 => this with { Item = ChangeFields(random, Item, s_simple) },
        2 => this with { Point = ChangeFields(random, Point, ["float", "int"]) },
        3 => this with { Tuple = ChangeFields(random, Tuple, s_numbers, keepsTwo: true) },
        4 => this with { Box = ChangeFields(random, Box, s_simple) },
        _ => this with { Side = ChangeMembers(random) },
    };

    /// <summary>The declarations of the types.</summary>
    public string Source()
    {
        var members = string.Join(", ", Side.Select(static member => $"{member.Name} = {member.Number}"));
        return $$"""
            [assembly: MessageConverter(typeof(Converters))]
            public enum Side { {{members}} }
            public struct Point { {{Declare(Point)}} }
            public class Level { public int Number; }
            public struct Wide { private long _number; public long Number { get => _number; set => _number = value; } }
            public static class Converters
            {
                public static int ToSurrogate(Level value) => value.Number;
                public static bool TryFromSurrogate(int surrogate, out Level value) { value = new() { Number = surrogate }; return true; }
                public static long ToSurrogate(in Wide value) => value.Number;
                public static bool TryFromSurrogate(long surrogate, out Wide value) { value = new() { Number = surrogate }; return true; }
            }
            [Message(7)] public class Item { {{Declare(Item)}} }
            [Message] public class Box<T> { public T V = default!; {{Declare(Box)}} }
            [Message(5)] public class M { {{Declare(M)}} }
            """;
    }

    /// <summary>An expression of a value, in which the value of each field follows from its path.</summary>
    public string Value() => $"new M {{ {Assign(M, "")} }}";

    /// <summary>The inside of an interpolated string that shows all fields of <c>m</c>.</summary>
    public string Show() => ShowFields(M, "m");

    /// <summary>What this version must show of the value of another version, if it reads that value.</summary>
    public string Expect(RandomContract sender) => ExpectFields(M, sender.M, sender, "", isSent: true);

    private static List<RandomField> Fields(Random random, string prefix, int count, string[] types) =>
        [.. Enumerable.Range(0, count).Select(i => new RandomField($"{prefix}{i}", types[random.Next(types.Length)]))];

    private static List<RandomField> ChangeFields(Random random, IReadOnlyList<RandomField> before, string[] types, bool keepsTwo = false)
    {
        var fields = new List<RandomField>(before);
        var at = random.Next(fields.Count);
        switch (random.Next(6))
        {
            case 0:
                fields.Add(new RandomField($"New{random.Next()}", types[random.Next(types.Length)]));
                break;
            case 1 when fields.Count > (keepsTwo ? 2 : 1):
                fields.RemoveAt(fields.Count - 1);
                break;
            case 2 when fields.Count > (keepsTwo ? 2 : 1):
                fields.RemoveAt(at);
                break;
            case 3:
                (fields[0], fields[^1]) = (fields[^1], fields[0]);
                break;
            case 4:
                fields[at] = fields[at] with { Name = $"Renamed{random.Next()}" };
                break;
            default:
                fields[at] = fields[at] with { Type = types[random.Next(types.Length)] };
                break;
        }

        return fields;
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

    private string CSharp(string type) => type == "TUPLE" ? $"({string.Join(", ", Tuple.Select(static item => $"{item.Type} {item.Name}"))})" : type;

    /// <summary>Declares fields, and for some of them properties that are not public.</summary>
    private string Declare(IReadOnlyList<RandomField> fields) => string.Join(" ", fields.Select(field => (Number(field.Name) % 3 == 0 && fields != Point, Initial(field.Type)) switch
    {
        (true, var initial) => $"[MessageInclude] internal {CSharp(field.Type)} {field.Name} {{ get; set; }}{initial}{(initial.Length == 0 ? "" : ";")}",
        (_, var initial) => $"public {CSharp(field.Type)} {field.Name}{initial};",
    }));

    private static string Initial(string type) => type switch
    {
        "string" => " = \"\"",
        "IReadOnlyList<Item>" => " = new List<Item>()",
        "IDictionary<string, Item>" => " = new Dictionary<string, Item>()",
        "int[]" => " = []",
        "int[,]" => " = new int[0, 0]",
        "KeyValuePair<string, int>" => " = new(\"\", 0)",
        "Box<string>" => " = new() { V = \"\" }",
        "Item" or "Level" or "Stack<int>" or "Box<int>" => " = new()",
        _ => s_lists.Contains(type) || s_maps.Contains(type) ? " = new()" : "",
    };

    private string Assign(IReadOnlyList<RandomField> fields, string path) => string.Join(", ", fields.Select(field => $"{field.Name} = {Expression(field.Type, path + field.Name)}"));

    private string Expression(string type, string path) => type switch
    {
        "string" => $"\"{path}\"",
        "bool" => "true",
        "Side" => $"Side.{Side[Number(path) % Side.Count].Name}",
        "Point" => $"new Point {{ {Assign(Point, path)} }}",
        "Item" => $"new Item {{ {Assign(Item, path)} }}",
        "Level" or "Wide" => $"new {type} {{ Number = {Number(path)} }}",
        "Box<int>" => $"new Box<int> {{ V = {Number(path)}, {Assign(Box, path)} }}",
        "Box<string>" => $"new Box<string> {{ V = \"{path}\", {Assign(Box, path)} }}",
        "Queue<Item>" => $"new Queue<Item>(new[] {{ new Item {{ {Assign(Item, path)} }} }})",
        "Stack<int>" => $"new Stack<int>(new[] {{ {Number(path)} }})",
        "int[,]" => $"new[,] {{ {{ {Number(path)} }} }}",
        "KeyValuePair<string, int>" => $"new KeyValuePair<string, int>(\"{path}\", {Number(path)})",
        _ when s_lists.Contains(type) => $"new List<Item> {{ new Item {{ {Assign(Item, path)} }} }}",
        _ when s_maps.Contains(type) => $"new {(type[0] == 'I' ? "Dictionary<string, Item>" : type)} {{ [\"key\"] = new Item {{ {Assign(Item, path)} }} }}",
        "TUPLE" => $"({string.Join(", ", Tuple.Select(item => Expression(item.Type, path + item.Name)))})",
        "int[]" => $"new[] {{ {Number(path)} }}",
        _ => $"{Number(path)}",
    };

    private string ShowFields(IReadOnlyList<RandomField> fields, string of) => string.Join(" ", fields.Select(field => $"{field.Name}={ShowValue(field.Type, $"{of}.{field.Name}")}"));

    private string ShowValue(string type, string of) => type switch
    {
        "Point" => $"<{ShowFields(Point, of)}>",
        "Item" => $"<{ShowFields(Item, of)}>",
        "Box<int>" or "Box<string>" => $"<V={{{of}.V}} {ShowFields(Box, of)}>",
        "Level" or "Wide" => $"{{{of}.Number}}",
        "int[,]" => $"[{{{of}.GetLength(0)}} {{string.Join(\",\", {of}.Cast<int>())}}]",
        "KeyValuePair<string, int>" => $"<{{{of}.Key}} {{{of}.Value}}>",
        _ when s_lists.Contains(type) => $"[{{string.Join(\",\", {of}.Select(i => FormattableString.Invariant($\"{ShowFields(Item, "i")}\")))}}]",
        _ when s_maps.Contains(type) => $"[{{string.Join(\",\", {of}.Values.Select(i => FormattableString.Invariant($\"{ShowFields(Item, "i")}\")))}}]",
        "TUPLE" => $"<{ShowFields(Tuple, of)}>",
        "int[]" or "Stack<int>" => $"[{{string.Join(\",\", {of})}}]",
        _ => $"{{{of}}}",
    };

    /// <summary>What this version shows of fields: by name, the values that the sender gave to them, and the defaults of the fields that the sender does not have.</summary>
    private string ExpectFields(IReadOnlyList<RandomField> ours, IReadOnlyList<RandomField> theirs, RandomContract sender, string path, bool isSent) => string.Join(" ", ours.Select(field =>
        $"{field.Name}={ExpectValue(field.Type, isSent ? theirs.FirstOrDefault(one => one.Name == field.Name)?.Type : null, sender, path + field.Name)}"));

    /// <summary>What this version shows of one value, whose type the sender may have replaced by another one with the same bytes; <see langword="null"/> for a value that was not sent.</summary>
    private string ExpectValue(string type, string? theirs, RandomContract sender, string path)
    {
        var isSent = theirs is not null;
        var number = theirs switch
        {
            null => 0,
            "Side" => sender.Side[Number(path) % sender.Side.Count].Number,
            _ => Number(path),
        };
        return type switch
        {
            "string" => isSent ? path : "",
            "bool" => isSent ? "True" : "False",
            "Side" => ShowSide(number),
            "Point" => $"<{ExpectFields(Point, sender.Point, sender, path, isSent)}>",
            "Item" => $"<{ExpectFields(Item, sender.Item, sender, path, isSent)}>",
            "Box<int>" => $"<V={number} {ExpectFields(Box, sender.Box, sender, path, isSent)}>",
            "Box<string>" => $"<V={(isSent ? path : "")} {ExpectFields(Box, sender.Box, sender, path, isSent)}>",
            "int[,]" => isSent ? $"[1 {number}]" : "[0 ]",
            "KeyValuePair<string, int>" => isSent ? $"<{path} {number}>" : "< 0>",
            _ when s_lists.Contains(type) || s_maps.Contains(type) => isSent ? $"[{ExpectFields(Item, sender.Item, sender, path, isSent)}]" : "[]",
            "TUPLE" => $"<{ExpectFields(Tuple, sender.Tuple, sender, path, isSent)}>",
            "int[]" or "Stack<int>" => isSent ? $"[{number}]" : "[]",
            "int?" => isSent ? $"{number}" : "",
            _ => $"{number}",
        };
    }

    private string ShowSide(int number) => Side.FirstOrDefault(member => member.Number == number).Name ?? $"{number}";

    private static int Number(string path)
    {
        var number = 17;
        foreach (var one in Encoding.UTF8.GetBytes(path))
            number = ((number * 31) + one) % 9973;
        return number;
    }
}

/// <summary>A field of a random contract.</summary>
internal sealed record RandomField(string Name, string Type);
