using System.Linq;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Computes the shape of a message, as docs/specification/binary-format.md defines it. Each field has one entry: its number in the upper half, a hash in the lower half.</summary>
internal static class Shape
{
    // The mode is part of the hash, so that messages of different modes never compare as equal, even with only one field.
    private const string Tolerant = "numbered";
    private const string Union = "union";

    public static IEnumerable<string> Names(MessageModel message) =>
        message.IsUnion ? Sorted(message).Select(static one => Parsing.Names.Display(one.Name)) : message.Fields.Select(static field => field.Name);

    public static IEnumerable<ulong> Fields(MessageModel message)
    {
        if (message.IsUnion)
        {
            foreach (var one in Sorted(message))
                yield return Entry(one.Tag + 1, Fnv.Add(Fnv.Add(Fnv.Start, Union), one.Code));
            yield break;
        }

        var running = Fnv.Start;
        foreach (var field in message.Fields)
        {
            // In a version-tolerant message the number identifies the field, so its name may change. Otherwise the position does, so all fields before it count.
            running = message.IsVersionTolerant ? Fnv.Add(Fnv.Start, Tolerant) : Fnv.Add(running, field.Name);
            running = Fnv.Add(running, field.Type.Code);
            yield return Entry(field.Number, running);
        }
    }

    /// <summary>Returns the layout of a message as docs/specification/binary-format.md defines it.</summary>
    /// <param name="message">The message.</param>
    /// <param name="reference">Returns the number after the sign <c>@</c> for a message inside, from its generated serializer and its code.</param>
    public static string Layout(MessageModel message, Func<string, string, string> reference)
    {
        if (message.IsUnion)
            return string.Concat(Sorted(message).Select(one => $";{one.Tag} @{reference(one.Serializer, one.Code)}").Prepend("u"));
        return string.Concat(message.Fields.Select(field => message.IsVersionTolerant
            ? $";{field.Number} {field.Name}{(field.FormerName is null ? "" : "=" + field.FormerName)} {LayoutOf(field.Type, reference)}"
            : $";{field.Name} {LayoutOf(field.Type, reference)}").Prepend(message.IsVersionTolerant ? "n" : "o"));
    }

    private static string LayoutOf(WireType type, Func<string, string, string> reference) => type.Kind switch
    {
        WireKind.Nullable => "?" + LayoutOf(type.Element!, reference),
        WireKind.Tuple => $"({string.Join(":", type.Items!.Zip(type.ItemNames!, (item, name) => name.Length == 0 ? LayoutOf(item, reference) : $"{name} {LayoutOf(item, reference)}"))})",
        WireKind.Dictionary => $"{{{LayoutOf(type.Key!, reference)}:{LayoutOf(type.Element!, reference)}}}",
        WireKind.Message => "@" + reference(type.Serializer!, type.Code),
        WireKind.Fixed => type.Layout ?? type.Code,
        WireKind.Text => type.Code,
        WireKind.Wrapped => LayoutOf(type.Element!, reference),
        _ when type.Element is { } item => $"[{LayoutOf(item, reference)}]",
        _ => type.Code,
    };

    private static IEnumerable<CaseModel> Sorted(MessageModel message) => message.Cases.OrderBy(static one => one.Tag);

    private static ulong Entry(int number, uint hash) => ((ulong)(uint)number << 32) | hash;
}
