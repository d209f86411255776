using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>The contracts of schema files and of assemblies.</summary>
internal sealed class Schema
{
    private readonly Dictionary<uint, SchemaContract> _contracts = [];

    /// <summary>The contracts by their ids.</summary>
    public IReadOnlyDictionary<uint, SchemaContract> Contracts => _contracts;

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

    private static byte[] ReadFile(string file)
    {
        try
        {
            return File.ReadAllBytes(file);
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
            foreach (var contract in document.RootElement.GetProperty("contracts").EnumerateArray())
            {
                var read = Read(contract);
                _contracts[read.Id] = read;
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException or OverflowException)
        {
            throw ToolException.Invalid($"{file} is not a schema of contracts: {e.Message} Write it by 'dotnet build -p:WriteMessageSchema=true'.");
        }
    }

    private static SchemaContract Read(JsonElement json) => new(
        json.GetProperty("id").GetUInt32(),
        json.GetProperty("name").GetString() ?? "",
        json.GetProperty("kind").GetString() ?? "",
        json.GetProperty("struct").GetBoolean(),
        json.GetProperty("version").GetInt32() is >= 1 and var version ? version : throw new FormatException("A version is less than 1."),
        json.GetProperty("compressor").GetString(),
        [.. json.GetProperty("fields").EnumerateArray().Select(ReadField)]);

    private static SchemaField ReadField(JsonElement json) => new(
        json.GetProperty("number").GetUInt32(),
        json.GetProperty("name").GetString() ?? "",
        WireType.Parse(json.GetProperty("type").GetString() ?? ""),
        ulong.Parse(json.GetProperty("shape").GetString() ?? "", NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture),
        json.TryGetProperty("default", out var value) ? value.Clone() : null);
}

/// <summary>A contract of a schema.</summary>
internal sealed record SchemaContract(uint Id, string Name, string Kind, bool IsStruct, int Version, string? Compressor, IReadOnlyList<SchemaField> Fields)
{
    public bool IsUnion => Kind == "union";

    public bool IsTolerant => Kind == "tolerant";

    /// <summary>The fields, which the handshake compares with those of the remote side.</summary>
    public MessageShape Shape { get; } = new([.. Fields.Select(static field => field.Name)], [.. Fields.Select(static field => field.Shape)]);
}

/// <summary>A field of a contract, or a type of a union, whose number is the tag.</summary>
internal sealed record SchemaField(uint Number, string Name, WireType Type, ulong Shape, JsonElement? Default);
