using System.Collections.Generic;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>A contract of a schema.</summary>
internal sealed record SchemaContract(uint Id, string Name, string Kind, bool IsStruct, int Version, string? Compressor, IReadOnlyList<SchemaField> Fields)
{
    public bool IsUnion => Kind == "union";

    public bool IsTolerant => Kind == "tolerant";

    /// <summary>The fields, which the handshake compares with those of the remote side.</summary>
    public MessageShape Shape { get; } = new([.. Fields.Select(static field => field.Name)], [.. Fields.Select(static field => field.Shape)]);
}
