using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>A message for JSON, with a member whose converter misbehaves on demand.</summary>
public sealed class JsonMessage
{
    public string? Text { get; set; }

    public int Number { get; set; }

    public byte[]? Bytes { get; set; }

    public Dictionary<string, int>? Map { get; set; }

    [JsonConverter(typeof(JsonTrap))]
    public string? Trap { get; set; }
}
