using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Buffers;

[JsonSerializable(typeof(string[]))]
public sealed partial class SteadyStateJsonContext : JsonSerializerContext;
