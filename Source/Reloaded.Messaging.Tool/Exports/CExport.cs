using System.Globalization;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes C structs of messages, and the functions that pack and unpack them for the client in Clients/c. The file is a header that also has the code.</summary>
internal sealed class CExport(Schema schema, TextWriter output)
{
    private static readonly string[] s_taken = ["FILE", "DIR", "INT32", "INT64", "RM", "UINT64", "rm", .. CTypes.Keywords];

    private readonly CTypes _types = new(schema, new ExportNames(schema, s_taken));

    public void Write()
    {
        var contracts = schema.Contracts.Values.OrderBy(static one => one.Id).ToList();
        Write(
            """
            /* Written by 'reloaded-messaging export --to c'. A change is lost when the file is written again.
             * One C file of the program defines RM_CONTRACTS_IMPLEMENTATION before it includes this file. */
            #ifndef RM_CONTRACTS_H
            #define RM_CONTRACTS_H

            #include "reloaded_messaging.h"

            #ifdef __cplusplus
            extern "C" {
            #endif
            """);
        foreach (var type in schema.Types.Values.OrderBy(static one => one.Name, StringComparer.Ordinal))
            WriteType(type);
        output.WriteLine();
        foreach (var contract in contracts)
            output.WriteLine($"typedef struct {_types[contract.Name]} {_types[contract.Name]};");
        var written = new HashSet<uint>();
        foreach (var contract in contracts)
            WriteStruct(contract, written);
        output.WriteLine();
        output.WriteLine("/* Set the defaults of a message, and write and read its payload. */");
        foreach (var name in contracts.Select(one => _types[one.Name]))
        {
            output.WriteLine($"void {name}_init({name} *value);");
            output.WriteLine($"void {name}_pack(rm_writer *writer, const {name} *value);");
            output.WriteLine($"void {name}_unpack(rm_reader *reader, {name} *value);");
            output.WriteLine($"extern const rm_contract {name}_contract;");
        }

        Write(
            $$"""

            /* All of the contracts, for rm_config. */
            enum { rm_contract_count = {{contracts.Count}} };
            extern const rm_contract *const rm_contracts[rm_contract_count];

            #ifdef __cplusplus
            }
            #endif

            #ifdef RM_CONTRACTS_IMPLEMENTATION

            #include <math.h>
            #include <string.h>
            """);
        foreach (var contract in contracts)
            WriteCode(contract);
        output.WriteLine();
        foreach (var contract in contracts)
            WriteContract(contract);
        output.WriteLine();
        output.WriteLine($"const rm_contract *const rm_contracts[rm_contract_count] = {{{string.Join(", ", contracts.Select(one => $"&{_types[one.Name]}_contract"))}}};");
        output.WriteLine();
        output.WriteLine("#endif");
        output.WriteLine("#endif");
    }

    private void WriteType(SchemaType type)
    {
        var name = _types[type.Name];
        output.WriteLine();
        WriteComment("", type.Documentation);
        if (!type.IsEnum)
        {
            output.WriteLine($"typedef struct {name} {{");
            foreach (var field in DeclaredType.FieldsOf(type))
                output.WriteLine($"    {CTypes.Fixed(field.Code)} {CTypes.Member(field.Name)};");
            output.WriteLine($"}} {name};");
            return;
        }

        output.WriteLine($"typedef {CTypes.Fixed(type.Code)} {name};");
        foreach (var member in type.Members)
        {
            WriteComment("", member.Documentation);
            output.WriteLine($"#define {name}_{member.Name} (({name}){CTypes.Integer(type.Code, member.Value)})");
        }
    }

    /// <summary>Writes the struct of a message after the structs that are inside it.</summary>
    private void WriteStruct(SchemaContract contract, HashSet<uint> written)
    {
        if (!written.Add(contract.Id))
            return;
        foreach (var inner in contract.IsUnion ? [] : contract.Fields.SelectMany(field => _types.Embedded(field.Type)))
            WriteStruct(inner, written);
        var name = _types[contract.Name];
        output.WriteLine();
        WriteComment("", Join($"{contract.Documentation}{(contract.Item is null ? "" : " The reply is a stream, which the client does not read.")}", contract.Obsolete));
        if (contract.IsUnion)
        {
            foreach (var one in contract.Fields)
                output.WriteLine($"#define {name}_{_types[one.Name]} {one.Number.ToString(CultureInfo.InvariantCulture)}u");
            output.WriteLine($"struct {name} {{");
            output.WriteLine("    uint32_t tag;");
            output.WriteLine("    union {");
            output.WriteLine("        const void *any;");
            foreach (var one in contract.Fields)
                output.WriteLine($"        const struct {_types[one.Name]} *{_types[one.Name]};");
            output.WriteLine("    } value;");
            output.WriteLine("};");
            return;
        }

        output.WriteLine($"struct {name} {{");
        foreach (var field in contract.Fields)
        {
            WriteComment("    ", Join(field.Documentation, field.Obsolete));
            output.WriteLine($"    {_types.Declare(field.Type, DeclaredType.Of(contract, field), CTypes.Member(field.Name))};");
        }

        if (contract.Fields.Count == 0)
            output.WriteLine("    char unused;");
        output.WriteLine("};");
    }

    private void WriteCode(SchemaContract contract)
    {
        var name = _types[contract.Name];
        var code = new CCode(_types, output);
        output.WriteLine();
        output.WriteLine($"void {name}_init({name} *value)");
        output.WriteLine("{");
        output.WriteLine("    memset(value, 0, sizeof *value);");
        foreach (var field in contract.IsUnion ? [] : contract.Fields)
            code.Initialize(field, DeclaredType.Of(contract, field));
        output.WriteLine("}");
        output.WriteLine();
        output.WriteLine($"void {name}_pack(rm_writer *writer, const {name} *value)");
        output.WriteLine("{");
        if (contract.IsUnion)
            code.PackUnion(contract);
        else if (contract.Fields.Count == 0)
            output.WriteLine("    (void)writer, (void)value;");
        else
            code.Pack(contract);
        output.WriteLine("}");
        output.WriteLine();
        output.WriteLine($"void {name}_unpack(rm_reader *reader, {name} *value)");
        output.WriteLine("{");
        output.WriteLine($"    {name}_init(value);");
        if (contract.IsUnion)
            code.UnpackUnion(contract);
        else if (contract.Fields.Count == 0 && !contract.IsTolerant)
            output.WriteLine("    (void)reader;");
        else
            code.Unpack(contract);
        output.WriteLine("}");
        output.WriteLine();

        // Functions that take void pointers, because a call by another type of function is not defined.
        output.WriteLine($"static void {name}_pack_any(rm_writer *writer, const void *value) {{ {name}_pack(writer, value); }}");
        output.WriteLine($"static void {name}_unpack_any(rm_reader *reader, void *value) {{ {name}_unpack(reader, value); }}");
    }

    private void WriteContract(SchemaContract contract)
    {
        var name = _types[contract.Name];
        var count = contract.Fields.Count.ToString(CultureInfo.InvariantCulture);
        var shape = contract.Fields.Count == 0 ? "NULL" : $"{name}_shape";
        if (contract.Fields.Count > 0)
            output.WriteLine($"static const uint64_t {shape}[{count}] = {{{string.Join(", ", contract.Fields.Select(static one => $"UINT64_C(0x{one.Shape.ToString("X16", CultureInfo.InvariantCulture)})"))}}};");
        var reply = contract.Reply is { } id && schema.Contracts.TryGetValue(id, out var found) ? $"&{_types[found.Name]}_contract" : "NULL";
        var compressor = contract.Compressor is { } text ? CTypes.Quote(text) : "NULL";
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"const rm_contract {name}_contract = {{{contract.Id}u, {contract.Version}, {CTypes.Quote(contract.Name)}, \"binary\", {compressor}, {reply}, {shape}, {count}, {name}_pack_any, {name}_unpack_any, sizeof({name}), {(contract.IsRequest ? "true" : "false")}}};"));
    }

    private static string? Join(string? documentation, string? obsolete) =>
        (obsolete is null ? documentation : $"{documentation} Deprecated. {obsolete}")?.Trim() is { Length: > 0 } text ? text : null;

    private void WriteComment(string indent, string? text)
    {
        if (text is not null)
            output.WriteLine($"{indent}/* {RemoteText.Clean(text, keepsLines: false).Replace("*/", "* /", StringComparison.Ordinal).Replace("/*", "/ *", StringComparison.Ordinal)} */");
    }

    private void Write(string lines) => output.WriteLine(lines.ReplaceLineEndings(output.NewLine));
}
