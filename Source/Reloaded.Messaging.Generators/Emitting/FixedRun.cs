using System.Collections.Generic;
using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Neighbouring fields that always take the same bytes: they are written and read as one piece, with one check for all.</summary>
internal static class FixedRun
{
    /// <summary>The fields of the run that starts at an index; empty if the field there is of another kind.</summary>
    public static List<FieldModel> At(IReadOnlyList<FieldModel> fields, int index) => [.. fields.Skip(index).TakeWhile(static field => IsFixed(field.Type))];

    /// <summary>What the fields take together, in bytes.</summary>
    public static int SizeOf(IEnumerable<FieldModel> run) => run.Sum(static field => field.Type.MinBytes);

    private static bool IsFixed(WireType type) => type.Kind == WireKind.Fixed || type.Method == "Boolean";
}
