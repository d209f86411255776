using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Adjacent fields of fixed size. They are written and read together, with one check.</summary>
internal static class FixedRun
{
    /// <summary>The fields of the run that starts at an index; empty if the field at the index has no fixed size.</summary>
    public static List<FieldModel> At(IReadOnlyList<FieldModel> fields, int index) => [.. fields.Skip(index).TakeWhile(static field => IsFixed(field.Type))];

    /// <summary>The size of all fields together, in bytes.</summary>
    public static int SizeOf(IEnumerable<FieldModel> run) => run.Sum(static field => field.Type.MinBytes);

    private static bool IsFixed(WireType type) => type.Kind == WireKind.Fixed || type.Method == "Boolean";
}
