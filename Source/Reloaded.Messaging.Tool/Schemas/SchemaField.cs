using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>A field of a contract, or a type of a union, whose number is the tag.</summary>
internal sealed record SchemaField(uint Number, string Name, WireType Type, ulong Shape, JsonElement? Default);
