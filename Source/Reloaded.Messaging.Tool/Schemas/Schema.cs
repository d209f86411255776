using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tool;

/// <summary>The contracts of schema files and of assemblies.</summary>
internal sealed class Schema
{
    private const int Format = 2;
    private const int MaxSize = 64 * 1024 * 1024; // bytes

    private static readonly Regex s_inside = new("@[0-9]+");

    private readonly Dictionary<uint, SchemaContract> _contracts = [];
    private readonly Dictionary<string, SchemaType> _types = [];
    private readonly Dictionary<uint, MessageContract<JsonElement>> _layouts = [];

    /// <summary>The contracts by their ids.</summary>
    public IReadOnlyDictionary<uint, SchemaContract> Contracts => _contracts;

    /// <summary>The enums and plain structs by their names. A schema of format 1 has none.</summary>
    public IReadOnlyDictionary<string, SchemaType> Types => _types;

    /// <summary>Reads schema files and then assemblies. A later file replaces a contract with the same id.</summary>
    /// <exception cref="ToolException">Thrown when a file cannot be read, is not a schema, or is an assembly without a schema.</exception>
    public static Schema Load(IEnumerable<string> files, IEnumerable<string> assemblies)
    {
        var schema = new Schema();
        foreach (var file in files)
            schema.Add(file, ReadFile(file));
        foreach (var assembly in assemblies)
            schema.Add(assembly, AssemblySchema.Read(assembly));
        return schema;
    }

    /// <summary>Reads the text of a schema.</summary>
    /// <exception cref="ToolException">Thrown when the text is not a schema.</exception>
    public static Schema Read(string file, byte[] text)
    {
        var schema = new Schema();
        schema.Add(file, text);
        return schema;
    }

    /// <summary>Finds a contract by its id, its full name, or the end of its full name.</summary>
    /// <exception cref="ToolException">Thrown when no contract or several contracts have the name.</exception>
    public SchemaContract Find(string name)
    {
        var found = _contracts.Values
            .Where(one => one.Name == name || one.Name.EndsWith("." + name, StringComparison.Ordinal) || one.Id.ToString(CultureInfo.InvariantCulture) == name)
            .ToList();
        if (found.Count == 1)
            return found[0];
        if (_contracts.Count == 0)
            throw ToolException.Invalid($"The type '{name}' is not known without a schema. Name the file of the contracts by --schema, or their assembly by --assembly.");
        var (count, choice) = found.Count == 0 ? ("no contract", _contracts.Values) : ($"{found.Count} contracts", found.AsEnumerable());
        throw ToolException.Invalid($"The schema has {count} named '{name}'. Choose from: {string.Join(", ", choice.Take(20).Select(static one => one.Name))}.");
    }

    /// <summary>Returns the fields and the layout of a contract, which are compared with those of the remote side. A layout with a message that the schema lacks is not known.</summary>
    public MessageShape ShapeOf(SchemaContract contract)
    {
        var names = contract.Fields.Select(static field => field.Name).ToArray();
        var fields = contract.Fields.Select(static field => field.Shape).ToArray();
        var nested = new List<SchemaContract>();
        var layout = contract.Layout is null ? null : s_inside.Replace(contract.Layout, match =>
        {
            if (!uint.TryParse(match.ValueSpan[1..], NumberStyles.None, CultureInfo.InvariantCulture, out var id) || !_contracts.TryGetValue(id, out var inside))
                return "@";
            nested.Add(inside);
            return string.Create(CultureInfo.InvariantCulture, $"@{nested.Count - 1}");
        });
        return layout is null || nested.Count < layout.Count(static one => one == '@') ? new MessageShape(names, fields) : new MessageShape(names, fields, layout, () => [.. nested.Select(LayoutOf)]);
    }

    /// <summary>Returns the contract of a message inside of others, for its layout alone.</summary>
    private MessageContract<JsonElement> LayoutOf(SchemaContract contract)
    {
        if (!_layouts.TryGetValue(contract.Id, out var known))
            _layouts[contract.Id] = known = new MessageContract<JsonElement>(contract.Id, new SchemaSerializer(this, contract), version: contract.Version, shape: ShapeOf(contract));
        return known;
    }

    private static byte[] ReadFile(string file)
    {
        try
        {
            return LimitedFile.ReadBytes(file, MaxSize);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The schema {file} cannot be read: {e.Message}");
        }
    }

    private void Add(string file, byte[] text)
    {
        try
        {
            using var document = JsonDocument.Parse(text);
            if (document.RootElement.TryGetProperty("format", out var format) && format.GetInt32() is > Format and var later)
                throw ToolException.Invalid($"{file} has format {later}; this tool reads formats up to {Format}. Update the tool.");
            foreach (var contract in document.RootElement.GetProperty("contracts").EnumerateArray())
            {
                var read = Read(contract);
                _contracts[read.Id] = read;
            }

            if (document.RootElement.TryGetProperty("types", out var types))
            {
                foreach (var type in types.EnumerateArray().Select(ReadType))
                    _types[type.Name] = type;
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException or OverflowException)
        {
            throw ToolException.Invalid($"{file} is not a schema of contracts: {e.Message} Write it by 'dotnet build -p:WriteMessageSchema=true'.");
        }
    }

    private static SchemaContract Read(JsonElement json)
    {
        var name = SchemaCheck.FullName("A contract", json);
        var kind = json.GetProperty("kind").GetString();
        if (kind is not ("message" or "tolerant" or "union"))
            throw new FormatException($"{name} has the kind '{kind}', which must be message, tolerant or union.");
        return new SchemaContract(
            json.GetProperty("id").GetUInt32(),
            name,
            kind,
            json.GetProperty("struct").GetBoolean(),
            json.GetProperty("version").GetInt32() is >= 1 and var version ? version : throw new FormatException("A version is less than 1."),
            json.GetProperty("compressor").GetString() is { } compressor ? Text(json, "compressorName") ?? compressor : null,
            [.. json.GetProperty("fields").EnumerateArray().Select(field => ReadField(name, kind == "union", field))])
        {
            Role = Text(json, "role") ?? "",
            Reply = json.TryGetProperty("reply", out var reply) && reply.ValueKind == JsonValueKind.Number ? reply.GetUInt32() : null,
            Layout = SchemaCheck.Layout(name, Text(json, "layout")),
            IsOfService = Text(json, "service") is not null,
            Item = Id(json, "item"),
            Sent = Id(json, "sent"),
            Report = Id(json, "report"),
            Documentation = Text(json, "documentation"),
            Obsolete = Text(json, "obsolete"),
        };
    }

    private static SchemaField ReadField(string contract, bool isCase, JsonElement json)
    {
        var name = isCase ? SchemaCheck.FullName($"A type of {contract}", json) : SchemaCheck.Identifier($"A field of {contract}", json);
        var type = WireType.Parse(json.GetProperty("type").GetString() ?? "");
        return new SchemaField(
            json.GetProperty("number").GetUInt32(),
            name,
            type,
            ulong.Parse(json.GetProperty("shape").GetString() ?? "", NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture),
            json.TryGetProperty("default", out var value) ? SchemaCheck.Default($"{contract}.{name}", type, value) : null)
        {
            IsComputed = json.TryGetProperty("computed", out var computed) && computed.GetBoolean(),
            Declared = Text(json, "declared")?.Replace("@", "", StringComparison.Ordinal),
            Documentation = Text(json, "documentation"),
            Obsolete = Text(json, "obsolete"),
        };
    }

    private static SchemaType ReadType(JsonElement json)
    {
        var name = SchemaCheck.FullName("A type", json);
        var type = new SchemaType(
            name,
            json.GetProperty("code").GetString() ?? "",
            Text(json, "layout"),
            json.TryGetProperty("flags", out var flags) && flags.GetBoolean(),
            json.TryGetProperty("members", out var members)
                ? [.. members.EnumerateArray().Select(one => new EnumMember(
                    SchemaCheck.Identifier($"A member of {name}", one),
                    Int128.Parse(one.GetProperty("value").ToString(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture),
                    Text(one, "documentation")))]
                : [],
            Text(json, "documentation"));
        SchemaCheck.Type(type);
        return type;
    }

    private static uint? Id(JsonElement json, string name) => json.TryGetProperty(name, out var id) ? id.GetUInt32() : null;

    private static string? Text(JsonElement json, string name) => json.TryGetProperty(name, out var text) ? text.GetString() : null;
}

/// <summary>A field of a contract, or a type of a union, whose number is the tag.</summary>
internal sealed record SchemaField(uint Number, string Name, WireType Type, ulong Shape, JsonElement? Default)
{
    /// <summary>Whether code of .NET computes the value of a missing field, so that only the running program knows the value.</summary>
    public bool IsComputed { get; init; }

    /// <summary>The type with names, as docs/specification/schema.md defines it; <c>null</c> in a schema of format 1.</summary>
    public string? Declared { get; init; }

    public string? Documentation { get; init; }

    public string? Obsolete { get; init; }
}

/// <summary>An enum, or a plain struct.</summary>
/// <param name="Name">The full name.</param>
/// <param name="Code">The code of an enum's number, or of a struct.</param>
/// <param name="Layout">The layout of a struct; <c>null</c> for an enum.</param>
/// <param name="IsFlags">Whether an enum is a combination of flags.</param>
/// <param name="Members">The members of an enum.</param>
/// <param name="Documentation">The summary.</param>
internal sealed record SchemaType(string Name, string Code, string? Layout, bool IsFlags, IReadOnlyList<EnumMember> Members, string? Documentation)
{
    public bool IsEnum => Layout is null;
}

/// <summary>A member of an enum.</summary>
internal sealed record EnumMember(string Name, Int128 Value, string? Documentation);
