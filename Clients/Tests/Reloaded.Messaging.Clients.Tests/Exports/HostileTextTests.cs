using System;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.CSharp2Client;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Exports;

/// <summary>The compilers of all languages read the texts of a hostile schema as comments and values. The tests of the tool try more texts, without the compilers.</summary>
public sealed class HostileTextTests : IDisposable
{
    /// <summary>Each text that has the name <c>pwned</c> would declare or use it, if the text were code.</summary>
    private static readonly string[] s_texts =
    [
        "x\u2028public class pwned { }", "x\u2029public class pwned { }", "x\u0085public class pwned { }", "x\npublic class pwned { }", "x\r\n#include \"/etc/hostname\"", "x\n#define pwned 1",
        "*/ int pwned; /*", "**//int pwned;", "x\"\"\"\nimport os as pwned\n\"\"\"", "\"\"\"", "'''", "\\", "x\\", "\\\n", "??/", "x??/\nint pwned;", "\"; int pwned; //", "</summary>", "]]>", "x\0", "\u202Ex\u2066", "\uFEFF",
        "x = 1\n    pwned: int = 2", "0; pwned()", "*/ export const pwned = 1; /*", "x;}export const pwned=1;interface y{a", "${pwned}", "`", "'", "\"", "#", "//", " ", "😀",
    ];

    private readonly ExportFolder _folder = new();
    private readonly string _schema;

    public HostileTextTests()
    {
        _schema = Path.Combine(_folder.FullName, "hostile", "contracts.schema.json");
        Directory.CreateDirectory(Path.GetDirectoryName(_schema)!);
        File.WriteAllText(_schema, WriteSchema().ToJsonString());
    }

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task C_compiler_finds_no_code()
    {
        var gcc = Programs.Find("gcc", "Install it with 'apt-get install gcc libc6-dev'.");
        await _folder.ExportAsync("c", "contracts.h", _schema);
        _folder.Write("contracts.c", "#define RM_CONTRACTS_IMPLEMENTATION\n#include \"contracts.h\"\n");

        await _folder.RunAsync([gcc], "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Dpwned=!", "-I", Path.Combine(RepositoryFolder.FullName, "Clients", "c"), "contracts.c");
    }

    [Fact]
    public async Task CSharp_compiler_finds_no_code()
    {
        var library = await CSharp2Program.GetAsync(CSharp2Program.NetStandard, _schema, null);
        using var file = new PEReader(File.OpenRead(library.Path));
        var metadata = file.GetMetadataReader();

        var types = metadata.TypeDefinitions.Select(type => metadata.GetString(metadata.GetTypeDefinition(type).Name)).ToHashSet();
        Assert.Superset(Enumerable.Range(0, s_texts.Length).SelectMany(static i => new[] { $"M{i}", $"E{i}" }).ToHashSet(), types);
        Assert.DoesNotContain("pwned", types);
        Assert.DoesNotContain("pwned", metadata.FieldDefinitions.Select(field => metadata.GetString(metadata.GetFieldDefinition(field).Name)));
    }

    [Fact]
    public async Task Python_finds_no_code()
    {
        var python = ExportFolder.FindPython();
        await _folder.ExportAsync("python", "own.py", _schema);

        await _folder.RunAsync([python], "-c", $$"""
            import ast, own
            tree = ast.parse(open("own.py", encoding="utf-8").read())
            names = {node.id if isinstance(node, ast.Name) else node.name for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.ClassDef, ast.FunctionDef, ast.alias))}
            assert "pwned" not in names, names
            assert len([node for node in tree.body if isinstance(node, ast.ClassDef)]) == {{2 * s_texts.Length}}
            """);
    }

    [Fact]
    public async Task TypeScript_compiler_finds_no_code()
    {
        await _folder.ExportAsync("typescript", "own.ts", _schema);
        _folder.Write("use.ts", """
            import * as own from "./own.js";
            export const value: own.M0 = { Text: "", Side: own.E0.A };
            // @ts-expect-error
            export const missing = own.pwned;
            """);

        await _folder.CompileTypeScriptAsync("own.ts", "use.ts");
    }

    /// <summary>A message and an enum for each text, with the text at each place that may have any text.</summary>
    private static JsonObject WriteSchema() => new()
    {
        ["format"] = 2,
        ["assembly"] = "Game",
        ["contracts"] = new JsonArray([.. s_texts.Select(static (text, i) => new JsonObject
        {
            ["id"] = 100 + i,
            ["name"] = $"Game.M{i}",
            ["kind"] = "message",
            ["struct"] = false,
            ["version"] = 1,
            ["serializer"] = "binary",
            ["compressor"] = "Game.Zip",
            ["compressorName"] = text,
            ["compressionThreshold"] = 16,
            ["role"] = "event",
            ["documentation"] = text,
            ["obsolete"] = text,
            ["layout"] = "o;Text s",
            ["fields"] = new JsonArray(
                new JsonObject { ["number"] = 1, ["name"] = "Text", ["type"] = "s", ["code"] = "s", ["declared"] = "string", ["default"] = text, ["shape"] = "0000000000000001", ["documentation"] = text, ["obsolete"] = text },
                new JsonObject { ["number"] = 2, ["name"] = "Side", ["type"] = "i4", ["code"] = "i4", ["declared"] = $"Game.E{i}", ["default"] = 0, ["shape"] = "0000000000000002", ["documentation"] = text }),
        })]),
        ["types"] = new JsonArray([.. s_texts.Select(static (text, i) => new JsonObject
        {
            ["name"] = $"Game.E{i}",
            ["kind"] = "enum",
            ["code"] = "i4",
            ["documentation"] = text,
            ["flags"] = false,
            ["members"] = new JsonArray(new JsonObject { ["name"] = "A", ["value"] = 0, ["documentation"] = text }),
        })]),
    };
}
