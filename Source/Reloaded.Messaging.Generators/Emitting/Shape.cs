using System.Collections.Generic;
using System.Linq;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>A message's shape, as docs/binary-format.md defines it: for each field its number in the upper half, and a hash.</summary>
internal static class Shape
{
    // Messages of different modes never compare as equal, not even by accident of one field.
    private const string Tolerant = "numbered";
    private const string Union = "union";

    public static IEnumerable<string> Names(MessageModel message) =>
        message.IsUnion ? Sorted(message).Select(static one => one.Name.Replace("global::", "")) : message.Fields.Select(static field => field.Name);

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
            // A number says which field it is, and so its name may change; where the place says it, everything before it counts.
            running = message.IsVersionTolerant ? Fnv.Add(Fnv.Start, Tolerant) : Fnv.Add(running, field.Name);
            running = Fnv.Add(running, field.Type.Code);
            yield return Entry(field.Number, running);
        }
    }

    private static IEnumerable<CaseModel> Sorted(MessageModel message) => message.Cases.OrderBy(static one => one.Tag);

    private static ulong Entry(int number, uint hash) => ((ulong)(uint)number << 32) | hash;
}
