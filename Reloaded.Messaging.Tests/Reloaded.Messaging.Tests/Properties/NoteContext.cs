using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Properties;

[JsonSerializable(typeof(Note))]
public sealed partial class NoteContext : JsonSerializerContext;
