using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Serialization;

[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(JsonMessage))]
[JsonSerializable(typeof(int?))]
[JsonSerializable(typeof(JsonShape))]
public sealed partial class JsonMessageContext : JsonSerializerContext;
