using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tool;

/// <summary>A contract of a schema.</summary>
/// <param name="Id">The id.</param>
/// <param name="Name">The full name of the type, with dots.</param>
/// <param name="Kind"><c>message</c>, <c>tolerant</c> or <c>union</c>.</param>
/// <param name="IsStruct">Whether the type is a struct, and so never null.</param>
/// <param name="Version">The version.</param>
/// <param name="Compressor">The name of the compressor's format, or of its class if the schema does not know the format; <c>null</c> if payloads are never compressed.</param>
/// <param name="Fields">The fields in the order of the payload.</param>
internal sealed record SchemaContract(uint Id, string Name, string Kind, bool IsStruct, int Version, string? Compressor, IReadOnlyList<SchemaField> Fields)
{
    public bool IsUnion => Kind == "union";

    public bool IsTolerant => Kind == "tolerant";

    /// <summary>The role: <c>event</c>, <c>request</c>, <c>reply</c>, <c>stream</c>, <c>item</c>, <c>report</c> or <c>part</c>; empty in a schema of format 1.</summary>
    public string Role { get; init; } = "";

    /// <summary>Whether the schema says that the message is a request, with one reply, with none or with a stream.</summary>
    public bool IsRequest => Role is "request" or "stream";

    /// <summary>The id of the reply of a request; <c>null</c> if there is none, or if it is not known.</summary>
    public uint? Reply { get; init; }

    /// <summary>The id of the items of the stream that is the reply; <c>null</c> if the reply is no stream.</summary>
    public uint? Item { get; init; }

    /// <summary>The id of the items that are sent with a request.</summary>
    public uint? Sent { get; init; }

    /// <summary>The id of the reports of the progress of a request.</summary>
    public uint? Report { get; init; }

    public string? Documentation { get; init; }

    public string? Obsolete { get; init; }

    /// <summary>The layout, in which a number after the sign @ is the id of a message; <c>null</c> in a schema of format 1.</summary>
    public string? Layout { get; init; }

    /// <summary>Whether the message is one of a service, whose declaration tells the role.</summary>
    public bool IsOfService { get; init; }
}
