using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>Finds the changes after which programs with the old contracts and programs with the new ones cannot communicate.</summary>
/// <remarks>A build finds what a handshake finds, because both compare layouts with <see cref="LayoutComparison"/>. Changes of the fields themselves have texts for the author of the change.</remarks>
internal static class SchemaComparison
{
    private const string Advice = "; raise Version, or append";

    /// <summary>Returns the first incompatible change of each contract, as a sentence without its final period.</summary>
    /// <param name="before">The contracts of the committed schema.</param>
    /// <param name="now">The contracts of the assembly.</param>
    public static IEnumerable<(string Name, string Change)> FindChanges(IReadOnlyList<SchemaContract> before, IReadOnlyList<SchemaContract> now)
    {
        var layouts = new LayoutComparison(LayoutsOf(now), LayoutsOf(before));
        for (var line = 0; line < before.Count; line++)
        {
            var old = before[line];
            var current = now.FirstOrDefault(one => one.Id == old.Id);
            var change = current is null ? DescribeMissing(old, now) : FindChange(old, current) ?? (current.Version == old.Version ? FindInLayouts(line, current) : null);
            if (change is not null)
                yield return (old.Name, change);
        }

        // A message inside that changed incompatibly is reported itself. A message inside with a higher version is another message: that is a change of the outer one.
        string? FindInLayouts(int line, SchemaContract current)
        {
            var currentLine = IndexOf(now, current.Id);
            if (layouts.Find(currentLine, line) is not { } difference)
                return null;
            var place = now[difference.OurLine];
            if (difference.OurLine != currentLine && before.FirstOrDefault(one => one.Id == place.Id)?.Version == place.Version)
                return null;
            var text = difference.Describe(isOurView: true, "now", "in the schema");
            return (text.StartsWith("the ", System.StringComparison.Ordinal) || text.StartsWith("field ", System.StringComparison.Ordinal) || text.StartsWith("item ", System.StringComparison.Ordinal)
                ? char.ToUpperInvariant(text[0]) + text.Substring(1) : text) + "; raise Version";
        }
    }

    /// <summary>Writes layouts as lines in the order of contracts. A message of another assembly has no line, and only its id is compared.</summary>
    private static ContractLayouts LayoutsOf(IReadOnlyList<SchemaContract> contracts)
    {
        var text = new StringBuilder();
        foreach (var contract in contracts)
        {
            if (contract.Layout is not null)
                AppendLayout(text.Append(contract.Id).Append(' ').Append(contract.Version).Append(' ').Append(contract.Name.Replace(' ', '_')).Append(' '), contract.Layout, contracts);
            text.Append('\n');
        }

        return new ContractLayouts(text.ToString());
    }

    // A schema has the ids of messages inside, and a line has the numbers of their lines.
    private static void AppendLayout(StringBuilder text, string layout, IReadOnlyList<SchemaContract> contracts)
    {
        var parts = layout.Split('@');
        text.Append(parts[0]);
        for (var i = 1; i < parts.Length; i++)
        {
            var length = parts[i].TakeWhile(char.IsDigit).Count();
            var line = long.TryParse(parts[i].Substring(0, length), out var id) ? IndexOf(contracts, id) : -1;
            text.Append('@').Append(line < 0 ? contracts.Count : line).Append(parts[i], length, parts[i].Length - length);
        }
    }

    private static int IndexOf(IReadOnlyList<SchemaContract> contracts, long id)
    {
        for (var i = 0; i < contracts.Count; i++)
        {
            if (contracts[i].Id == id)
                return i;
        }

        return -1;
    }

    private static string DescribeMissing(SchemaContract old, IReadOnlyList<SchemaContract> now) =>
        now.FirstOrDefault(one => one.Name == old.Name) is { } moved
            ? $"The id of '{old.Name}' was {old.Id} and is {moved.Id}; restore the id, or keep the old message and add another message"
            : $"The message '{old.Name}' with the id {old.Id} was removed; keep it while other programs send it";

    private static string? FindChange(SchemaContract old, SchemaContract now)
    {
        if (now.Version < old.Version)
            return $"The version of '{now.Name}' was {old.Version} and is {now.Version}; raise Version";
        if (now.Version > old.Version)
            return null; // declared as another contract
        if (now.Kind != old.Kind)
            return $"'{now.Name}' was a {old.Kind} and is a {now.Kind}; raise Version";
        if (!HaveSameFormat(now, old))
            return $"The compressor of '{now.Name}' was {old.Compressor ?? "none"} and is {now.Compressor ?? "none"}, and both ends need the same one; raise Version";
        return now.Kind == SchemaContract.Message ? FindChangeByPlace(old, now) : FindChangeByNumber(old, now);
    }

    /// <summary>Returns whether payloads of two contracts are compressed by the same format. Two classes may write the same format.</summary>
    private static bool HaveSameFormat(SchemaContract now, SchemaContract old) =>
        now.CompressorName is { } format && old.CompressorName is { } oldFormat ? format == oldFormat : now.Compressor == old.Compressor;

    private static string? FindChangeByPlace(SchemaContract old, SchemaContract now)
    {
        for (var i = 0; i < old.Fields.Count; i++)
        {
            var (before, after) = (old.Fields[i], i < now.Fields.Count ? now.Fields[i] : null);
            if (after?.Name == before.Name)
            {
                if (after.Type != before.Type)
                    return $"The type of the field '{before.Name}' of '{now.Name}' was {before.Type} and is {after.Type}{Advice}";
                continue;
            }

            if (!Has(now, before.Name))
            {
                return after is not null && after.Type == before.Type && !Has(old, after.Name) && now.Fields.Count >= old.Fields.Count
                    ? $"The field '{before.Name}' of '{now.Name}' was renamed to '{after.Name}'{Advice}"
                    : $"The field '{before.Name}' of '{now.Name}' was removed{Advice}";
            }

            return after is not null && !Has(old, after.Name)
                ? $"The field '{after.Name}' of '{now.Name}' was inserted before '{before.Name}'{Advice}"
                : $"The field '{before.Name}' of '{now.Name}' was moved{Advice}";
        }

        return null;
    }

    private static string? FindChangeByNumber(SchemaContract old, SchemaContract now)
    {
        var isUnion = now.Kind == SchemaContract.Union;
        foreach (var before in old.Fields)
        {
            var after = now.Fields.FirstOrDefault(field => field.Number == before.Number);
            if (after is null && isUnion)
                return $"The tag {before.Number} ('{before.Name}') of '{now.Name}' was removed{Advice}";
            if (after is not null && after.Type != before.Type)
            {
                return isUnion
                    ? $"The tag {before.Number} of '{now.Name}' was '{before.Name}' and is '{after.Name}'{Advice}"
                    : $"The type of the field {before.Number} ('{after.Name}') of '{now.Name}' was {before.Type} and is {after.Type}; raise Version, or give the field a new number";
            }
        }

        return null;
    }

    private static bool Has(SchemaContract contract, string field) => contract.Fields.Any(one => one.Name == field);
}
