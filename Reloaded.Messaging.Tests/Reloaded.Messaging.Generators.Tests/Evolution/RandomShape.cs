using System.Globalization;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A message of a random form: a class, a struct or a record, with members that are set in any of the ways of C#, and with initial values from initializers, parameters, constructors and a base class.</summary>
internal sealed class RandomShape
{
    private readonly Random _random;
    private readonly string _name;
    private readonly bool _isTolerant;
    private readonly bool _isReadOnly;
    private readonly bool _isRecord;
    private readonly bool _isStruct;
    private readonly List<ShapeMember> _members = [];
    private readonly int[] _numbers;
    private string _baseArgument = "";

    public RandomShape(string name, Random random)
    {
        (_name, _random) = (name, random);
        (_isRecord, _isStruct) = (random.Next(2) == 0, random.Next(3) == 0);
        (_isReadOnly, _isTolerant) = (_isStruct && random.Next(2) == 0, random.Next(3) == 0);
        _numbers = [.. Enumerable.Range(0, 8)];
        if (_isTolerant)
            random.Shuffle(_numbers);
        Source = Declare();
    }

    /// <summary>The declaration of the message and of its base class.</summary>
    public string Source { get; }

    /// <summary>The members, in the order of the payload.</summary>
    public IReadOnlyList<ShapeMember> Members => _isTolerant ? [.. _members.OrderBy(static member => member.Number)] : _members;

    /// <summary>The sets of fields that an older sender may have: the first fields, or any fields if the message is version-tolerant.</summary>
    public IEnumerable<List<ShapeMember>> Senders()
    {
        for (var count = 0; count <= _members.Count; count++)
            yield return [.. Members.Take(count)];
        for (var i = 0; i < 4 && _isTolerant; i++)
            yield return [.. Members.Where(_ => _random.Next(2) == 0)];
    }

    /// <summary>The expression that creates the message in plain C#, without the members that were not sent. C# demands a value for some of them.</summary>
    public string Create(List<ShapeMember> sent)
    {
        var arguments = _members.Where(static member => member.Form == MemberForm.Argument)
            .Where(member => sent.Contains(member) || member.Initial is null)
            .Select(member => $"{member.Parameter}: {(sent.Contains(member) ? member.Sent : "default!")}");
        var set = _members.Where(static member => member.Form != MemberForm.Argument)
            .Where(member => sent.Contains(member) || member.Form == MemberForm.Required)
            .Select(member => $"{member.Name} = {(sent.Contains(member) ? member.Sent : member.Type.Constants.Contains(member.Initial) ? member.Initial : "default!")}");
        return $"new {_name}({string.Join(", ", arguments)}) {{ {string.Join(", ", set)} }}";
    }

    private string Declare()
    {
        var hasBase = !_isStruct && _random.Next(3) == 0;
        var inherited = hasBase ? DeclareBase() : "";
        var hasParameters = _isRecord || _random.Next(4) == 0;
        var isPrimary = _isRecord || (hasParameters && _random.Next(2) == 0);
        var body = new StringBuilder();
        var parameters = new List<ShapeMember>();
        for (var i = 0; i < (hasParameters ? 1 + _random.Next(2) : 0); i++)
        {
            // The first parameter has no default: "new T()" of a struct does not call a constructor whose parameters have defaults.
            var member = Add(MemberForm.Argument, type => i == 0 ? null : Pick([null, .. type.Constants]), _isRecord ? "" : "p");
            parameters.Add(member);
            if (!_isRecord)
                body.AppendLine(CultureInfo.InvariantCulture, $"    {member.Attribute}public {member.Type.Name} {member.Name} {{ get; }}{(isPrimary ? $" = {member.Parameter};" : "")}");
        }

        var isBare = _isRecord && !_isStruct && !hasBase && _random.Next(4) == 0;
        var own = new List<ShapeMember>();
        for (var i = _random.Next(4); i >= 0; i--)
            own.Add(AddMember(body));
        var list = string.Join(", ", parameters.Select(member => $"{(_isRecord ? member.Attribute : "")}{member.Type.Name} {member.Parameter}{(member.Initial is null ? "" : $" = {member.Initial}")}"));
        if (isBare)
            DeclareBare(body, parameters, own);
        else if (hasParameters && !isPrimary)
            DeclareConstructor(body, $"public {_name}({list})", string.Concat(parameters.Select(static member => $"{member.Name} = {member.Parameter}; ")), own);
        else if (!hasParameters)
            DeclareConstructor(body, own);

        var kind = $"{(_isReadOnly ? "readonly " : "")}{(_isRecord ? "record " : "")}{(_isStruct ? "struct" : "class")}";
        var call = !hasBase ? "" : isPrimary && _baseArgument.Length > 0 ? $" : {_name}Base({_baseArgument})" : $" : {_name}Base";
        return $$"""
            {{inherited}}
            [Message({{1000 + int.Parse(_name.AsSpan(1), CultureInfo.InvariantCulture)}}u{{(_isTolerant ? ", VersionTolerant = true" : "")}})]
            public {{kind}} {{_name}}{{(isPrimary ? $"({list})" : "")}}{{call}}
            {
            {{body}}
            }
            """;
    }

    /// <summary>A base class whose members have initial values from initializers, a constructor, or the argument of the derived class.</summary>
    private string DeclareBase()
    {
        if (_isRecord && _random.Next(2) == 0)
        {
            // A member that the constructor of the derived record does not take is set with the others.
            var member = Add(MemberForm.Init, static _ => null, "", "int");
            _baseArgument = "7";
            return $"public record {_name}Base({member.Attribute}int {member.Name});";
        }

        var body = new StringBuilder();
        var members = new List<ShapeMember> { AddMember(body) };
        var parameters = _random.Next(2) == 0 ? "int start = 4" : "";
        DeclareConstructor(body, $"protected {_name}Base({parameters})", "", members);
        return $"public abstract {(_isRecord ? "record" : "class")} {_name}Base\n{{\n{body}\n}}";
    }

    /// <summary>A record with a constructor without parameters, which the message is created by.</summary>
    private void DeclareBare(StringBuilder body, List<ShapeMember> parameters, List<ShapeMember> own)
    {
        DeclareConstructor(body, $"public {_name}() : this({string.Join(", ", parameters.Select(static member => $"{member.Parameter}: {member.Type.Computed[0]}"))})", "", own);
        foreach (var member in parameters)
            (member.Form, member.Initial) = (MemberForm.Init, member.Type.Computed[0]);
    }

    private void DeclareConstructor(StringBuilder body, List<ShapeMember> own)
    {
        switch (_random.Next(_isStruct ? 3 : 4))
        {
            case 0:
                DeclareConstructor(body, $"public {_name}()", "", own);
                break;
            case 1:
                body.AppendLine(CultureInfo.InvariantCulture, $"    public {_name}() : this(5m) {{ }}");
                DeclareConstructor(body, $"private {_name}(decimal start)", "", own);
                break;
            case 2 when _isStruct:
                // "new T()" does not call this constructor, so no initializer runs.
                body.AppendLine(CultureInfo.InvariantCulture, $"    public {_name}(decimal start) {{ }}");
                break;
        }
    }

    private void DeclareConstructor(StringBuilder body, string signature, string assignments, List<ShapeMember> members)
    {
        var statements = Statements(body, members);
        body.AppendLine(CultureInfo.InvariantCulture, $"    {signature} {{ {assignments}{statements} }}");
    }

    private ShapeMember AddMember(StringBuilder body)
    {
        MemberForm[] forms = _isReadOnly ? [MemberForm.Init, MemberForm.Required] : [MemberForm.Field, MemberForm.Set, MemberForm.Init, MemberForm.Required, MemberForm.Backed];
        var member = Add(Pick(forms), type => Pick([null, .. type.Constants, .. type.Computed, .. type.Zeros]));
        var initial = member.Initial is null ? "" : $" = {member.Initial}";
        var accessor = _isReadOnly || member.Form == MemberForm.Init || _random.Next(2) == 0 ? "init" : "set";
        var (type, name) = (member.Type.Name, member.Name);
        body.AppendLine(member.Form switch
        {
            MemberForm.Field => $"    {member.Attribute}public {type} {name}{initial};",
            MemberForm.Backed => $"    private {type} _{name}{initial};\n    {member.Attribute}public {type} {name} {{ get => _{name}; {accessor} => _{name} = value; }}",
            MemberForm.Set => $"    {member.Attribute}public {type} {name} {{ get; set; }}{initial}{(initial.Length == 0 ? "" : ";")}",
            _ => $"    {member.Attribute}public {(member.Form == MemberForm.Required ? "required " : "")}{type} {name} {{ get; {accessor}; }}{initial}{(initial.Length == 0 ? "" : ";")}",
        });
        return member;
    }

    /// <summary>Statements of a constructor that give other values to the members, in many ways.</summary>
    private string Statements(StringBuilder body, List<ShapeMember> members)
    {
        var member = members[_random.Next(members.Count)];
        if (_random.Next(3) == 0 || member.Form == MemberForm.Argument)
            return "";
        var (name, value) = (member.Name, member.Type.Computed[0]);
        switch (_random.Next(7))
        {
            case 0:
                return $"{name} = {value};";
            case 1:
                return $"this.{name} = {value};";
            case 2 when member.Type.Name == "int":
                return $"{name}++;";
            case 3 when member.Type.Name == "List<int>" && member.Initial is not (null or "null!"):
                return $"{name}.Add(9);";
            case 4:
                return $"({name}, var other) = ({value}, 3);";
            case 5 when !_isStruct && member.Form is MemberForm.Field or MemberForm.Set:
                body.AppendLine(CultureInfo.InvariantCulture, $"    private void Reset{name}() => {name} = {value};");
                return $"Reset{name}();";
            case 6 when !_isReadOnly && member.Form == MemberForm.Backed:
                return $"_{name} = {value};";
            default:
                return "System.GC.KeepAlive(\"nothing\");";
        }
    }

    private ShapeMember Add(MemberForm form, Func<MemberType, string?> initial, string prefix = "", string? name = null)
    {
        var type = name is null ? Pick(MemberType.All) : MemberType.All.Single(one => one.Name == name);
        var index = _members.Count;
        var letter = (char)('A' + index);
        var member = new ShapeMember($"{letter}", prefix.Length == 0 ? $"{letter}" : $"{char.ToLowerInvariant(letter)}", type, type.Sent(index), _isTolerant ? _numbers[index] : null) { Form = form, Initial = initial(type) };
        _members.Add(member);
        return member;
    }

    private T Pick<T>(IReadOnlyList<T> all) => all[_random.Next(all.Count)];
}

/// <summary>How a member gets its value.</summary>
internal enum MemberForm
{
    Field,
    Set,
    Init,
    Required,

    /// <summary>A property with a field of the program.</summary>
    Backed,

    /// <summary>A member that a parameter of the constructor sets.</summary>
    Argument,
}

/// <summary>A member of a random shape.</summary>
/// <param name="Name">The member's name.</param>
/// <param name="Parameter">The name of the parameter that sets the member.</param>
/// <param name="Type">The member's type.</param>
/// <param name="Sent">The value that a sender gives to the member, in C#.</param>
/// <param name="Number">The number in a version-tolerant message; <see langword="null"/> in other messages.</param>
internal sealed record ShapeMember(string Name, string Parameter, MemberType Type, string Sent, int? Number)
{
    public MemberForm Form { get; set; }

    /// <summary>The initializer, or the default of the parameter; <see langword="null"/> for none.</summary>
    public string? Initial { get; set; }

    public string Attribute => Number is null ? "" : $"[MessageField({Number})] ";
}

/// <summary>A type of members, with values in C#.</summary>
/// <param name="Name">The type in C#.</param>
/// <param name="Zero">How a client shows a value that has no initializer and was not sent. It does not know the value of a type with a converter.</param>
/// <param name="Constants">Initializers that are constants.</param>
/// <param name="Computed">Initializers that are not.</param>
/// <param name="Zeros">Initializers with the value of a member without an initializer.</param>
internal sealed record MemberType(string Name, string Zero, string?[] Constants, string[] Computed, string[] Zeros)
{
    public static IReadOnlyList<MemberType> All { get; } =
    [
        new("int", "0", ["5", "Num.Four * 2", "-1"], ["Num.Five()"], ["0", "default"]),
        new("bool", "False", ["true"], ["Num.Five() == 5"], ["false"]),
        new("double", "0", ["-1.5"], ["Num.Five() / 2.0"], ["0"]),
        new("string", "", ["\"x\"", "nameof(Num)"], ["Num.Text()"], ["\"\"", "string.Empty", "null!"]),
        new("string?", "null", ["\"x\""], ["Num.Text()"], ["null"]),
        new("int?", "null", ["7"], ["Num.Five()"], ["null"]),
        new("DayOfWeek", "0", ["DayOfWeek.Friday"], ["(DayOfWeek)Num.Five()"], ["DayOfWeek.Sunday"]),
        new("List<int>", "[]", [], ["[1, 2]", "new() { 3 }", "Num.List"], ["[]", "new()", "new(4)", "null!"]),
        new("List<int>?", "null", [], ["[1]", "[]"], ["null"]),
        new("Dictionary<string, int>", "{}", [], ["new() { [\"one\"] = 1 }"], ["new(StringComparer.OrdinalIgnoreCase)", "[]"]),
        new("Part?", "null", [], ["new() { A = 3 }"], ["null"]),
        new("decimal", "0", ["1.50m", "-2", "0.00m"], ["Num.Five() * 1.0m"], ["0m"]),
        new("char", "0", ["'x'", "'\\''", "'\\n'"], ["(char)Num.Five()"], ["'\\0'", "default"]),
        new("byte?", "null", ["(byte)7", "byte.MaxValue"], ["(byte)Num.Five()"], ["null", "default"]),
        new("DayOfWeek?", "null", ["DayOfWeek.Friday"], ["(DayOfWeek)Num.Five()"], ["null"]),
        new("float", "0", ["0.1f", "float.NaN", "-0f", "float.NegativeInfinity", "'a'"], ["Num.Five() / 2f"], ["0", "0f"]),
        new("long", "0", ["1L << 40", "'a'", "Num.Four"], ["Num.Five()"], ["0", "default"]),
        new("TimeSpan", "00:00:00", [], ["TimeSpan.FromSeconds(5)"], ["default", "TimeSpan.Zero", "new()"]),
        new("Guid", "00000000-0000-0000-0000-000000000000", [], ["new Guid(5, 1, 2, new byte[8])"], ["default", "Guid.Empty", "new()"]),
        new("(int A, string B)", "(0, )", [], ["(Num.Five(), \"x\")"], ["default"]),
        new("int[]", "[]", [], ["[1, 2]", "new[] { 5 }"], ["[]", "new int[0]", "Array.Empty<int>()", "null!"]),
        new("IReadOnlyList<int>", "[]", [], ["[1, 2]", "new List<int> { 3 }"], ["[]", "new List<int>()", "Array.Empty<int>()", "null!"]),
        new("System.Collections.Immutable.ImmutableArray<int>", "[]", [], ["[1, 2]"], ["[]", "default", "System.Collections.Immutable.ImmutableArray<int>.Empty"]),
        new("Uri?", "null", [], ["new Uri(\"my:x\")"], ["null"]),
        new("Rank", "", ["Rank.High"], ["(Rank)Num.Five()"], ["Rank.Low", "default"]),
        new("Rank?", "null", ["Rank.Low"], ["(Rank)Num.Five()"], ["null"]),
    ];

    public string Sent(int index) => Name switch
    {
        "int" or "int?" => $"{11 + index}",
        "bool" => "true",
        "double" => $"{index}.25",
        "string" or "string?" => $"\"sent{index}\"",
        "DayOfWeek" => "DayOfWeek.Monday",
        "Part?" => $"new Part {{ A = {20 + index} }}",
        "decimal" => $"{index}.50m",
        "char" => $"(char){97 + index}",
        "byte?" => $"(byte){30 + index}",
        "DayOfWeek?" => "DayOfWeek.Tuesday",
        "float" => $"{index}.5f",
        "long" => $"{index + 1}L << 33",
        "TimeSpan" => $"new TimeSpan({index}, 1, 2)",
        "Guid" => $"new Guid({index}, 2, 3, new byte[8])",
        "(int A, string B)" => $"({index}, \"t\")",
        "int[]" => $"new[] {{ {index} }}",
        "System.Collections.Immutable.ImmutableArray<int>" => $"System.Collections.Immutable.ImmutableArray.Create({index})",
        "Uri?" => $"new Uri(\"my:{index}\")",
        "Rank" or "Rank?" => "Rank.Middle",
        "Dictionary<string, int>" => $"new Dictionary<string, int> {{ [\"a\"] = {index} }}",
        _ => $"new List<int> {{ {index}, 8 }}",
    };
}
