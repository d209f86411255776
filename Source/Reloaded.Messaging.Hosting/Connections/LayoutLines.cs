using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>Writes the layouts of contracts of this side as lines. docs/specification/wire-format.md specifies them.</summary>
internal static class LayoutLines
{
    /// <summary>Calls the generated code that returns the messages inside a contract, so that the lines of this contract can be written under a lock.</summary>
    public static void Prepare(MessageContract contract)
    {
        HashSet<MessageContract>? seen = null;
        Visit(contract);

        void Visit(MessageContract one)
        {
            foreach (var inside in one.Shape is { } shape ? shape.Nested : default)
            {
                if ((seen ??= []).Add(inside))
                    Visit(inside);
            }
        }
    }

    /// <summary>Writes the layouts of contracts and of the messages inside them; no lines if no contract has a layout. Calls generated code of the program, unless the contracts are prepared.</summary>
    public static ContractLayouts Of(MessageContract[] contracts)
    {
        var lines = new List<MessageContract>(contracts);
        var numbers = new Dictionary<MessageContract, int>(contracts.Length);
        for (var i = 0; i < contracts.Length; i++)
            numbers.TryAdd(contracts[i], i);

        var text = new StringBuilder();
        var enums = new Dictionary<string, int>(StringComparer.Ordinal);
        var hasLayout = false;
        for (var i = 0; i < lines.Count; i++)
        {
            if (lines[i].Shape is { Layout: { } layout } shape)
            {
                text.Append(lines[i].Type).Append(' ').Append(lines[i].Version).Append(' ').Append(NameOf(lines[i].MessageType)).Append(' ');
                Append(layout, shape.Nested);
                hasLayout = true;
            }

            text.Append('\n');
        }

        return new ContractLayouts(hasLayout ? text.ToString() : "");

        void Append(string layout, ReadOnlySpan<MessageContract> nested)
        {
            var rest = layout.AsSpan();
            for (var at = rest.IndexOfAny('@', '<'); at >= 0; at = rest.IndexOfAny('@', '<'))
            {
                text.Append(rest.Slice(0, at + 1));
                var isMessage = rest[at] == '@';
                rest = rest.Slice(at + 1);
                if (isMessage)
                    AppendNumber(nested[LayoutCode.TakeNumber(ref rest)]);
                else
                    AppendMembers(ref rest);
            }

            text.Append(rest);
        }

        void AppendNumber(MessageContract contract)
        {
            if (!numbers.TryGetValue(contract, out var number))
            {
                number = lines.Count;
                numbers.Add(contract, number);
                lines.Add(contract);
            }

            text.Append(number);
        }

        // A list of members is written once. Later, its number takes its place.
        void AppendMembers(ref ReadOnlySpan<char> rest)
        {
            var members = rest.Slice(0, rest.IndexOf('>')).ToString();
            rest = rest.Slice(members.Length);
            if (members.Length == 0)
                return;
            if (enums.TryGetValue(members, out var number))
                text.Append('=').Append(number);
            else
                text.Append(members);
            enums.TryAdd(members, enums.Count);
        }
    }

    /// <summary>Returns the first lines that fit into a number of bytes of UTF-8.</summary>
    public static string Cut(string lines, int maxSize)
    {
        if (Encoding.UTF8.GetByteCount(lines) <= maxSize)
            return lines;
        var length = 0;
        for (var end = lines.IndexOf('\n', StringComparison.Ordinal); end >= 0; end = lines.IndexOf('\n', length))
        {
            maxSize -= Encoding.UTF8.GetByteCount(lines.AsSpan(length, end + 1 - length));
            if (maxSize < 0)
                break;
            length = end + 1;
        }

        return lines.Substring(0, length);
    }

    // The name is text for people, so a character with a meaning in a line is replaced.
    private static string NameOf(Type type) => type.Name.Replace(' ', '_').Replace('\n', '_').Replace(';', '_');
}
