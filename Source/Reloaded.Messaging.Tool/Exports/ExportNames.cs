using System.Linq;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>Short names for the contracts and types of a schema in a generated file.</summary>
internal sealed class ExportNames
{
    private static readonly JsonSerializerOptions s_plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly Dictionary<string, string> _names = [];

    /// <summary>Chooses names: the last part of the full name, or the full name with underscores where two have one name, or where the name is taken.</summary>
    /// <exception cref="ToolException">Thrown when two contracts or types have one name, or a type is inside of a generic type.</exception>
    public ExportNames(Schema schema, IEnumerable<string> taken)
    {
        var used = new HashSet<string>(taken, StringComparer.Ordinal);
        var full = schema.Contracts.Values.Select(static one => one.Name).Concat(schema.Types.Keys).Order(StringComparer.Ordinal).ToList();
        Check("schema", full);
        foreach (var contract in schema.Contracts.Values)
            Check(contract.Name, contract.Fields.Select(static one => one.Name));
        foreach (var type in schema.Types.Values)
            Check(type.Name, type.IsEnum ? type.Members.Select(static one => one.Name) : DeclaredType.FieldsOf(type).Select(static one => one.Name));
        if (full.Find(static name => name.Contains('<', StringComparison.Ordinal)) is { } generic)
            throw ToolException.Invalid($"{generic} is inside of a generic type, for which other languages have no name. Declare it outside of that type.");
        var shared = full.GroupBy(Last).Where(static group => group.Count() > 1).Select(static group => group.Key).ToHashSet(StringComparer.Ordinal);
        foreach (var name in full)
        {
            var shortName = shared.Contains(Last(name)) ? name.Replace('.', '_') : Last(name);
            while (!used.Add(shortName.Normalize(NormalizationForm.FormKC)))
                shortName += "_";
            _names.Add(name, shortName);
        }
    }

    /// <summary>Refuses two equal names. Python takes names for equal that look alike, such as ﬁ and fi.</summary>
    private static void Check(string place, IEnumerable<string> names)
    {
        if (names.GroupBy(static name => name.Normalize(NormalizationForm.FormKC)).FirstOrDefault(static group => group.Count() > 1) is { } twice)
            throw ToolException.Invalid($"Two names in {place} are {twice.Key}. Rename one of them.");
    }

    public string this[string fullName] => _names.TryGetValue(fullName, out var name)
        ? name
        : throw ToolException.Invalid($"The schema has no type named '{fullName}'. Name the schema that has it by another --schema or --assembly.");

    /// <summary>Writes a text as a literal of JSON, TypeScript and Python.</summary>
    public static string Quote(string text) => JsonSerializer.Serialize(text, s_plain);

    private static string Last(string name)
    {
        // The messages of a service's method are its name, and its name with ".Reply".
        var parts = name.Split('.');
        return parts is [.., var member, "Reply"] ? member + "Reply" : parts[^1];
    }
}
