using System.Collections.Generic;
using System.Linq;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Computes the shape of a message, as docs/binary-format.md defines it. Each field has one entry: its number in the upper half, a hash in the lower half.</summary>
internal static class Shape
{
    // The mode is part of the hash, so that messages of different modes never compare as equal, even with only one field.
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
            // In a version-tolerant message the number identifies the field, so its name may change. Otherwise the position does, so all fields before it count.
            running = message.IsVersionTolerant ? Fnv.Add(Fnv.Start, Tolerant) : Fnv.Add(running, field.Name);
            running = Fnv.Add(running, field.Type.Code);
            yield return Entry(field.Number, running);
        }
    }

    private static IEnumerable<CaseModel> Sorted(MessageModel message) => message.Cases.OrderBy(static one => one.Tag);

    private static ulong Entry(int number, uint hash) => ((ulong)(uint)number << 32) | hash;
}
