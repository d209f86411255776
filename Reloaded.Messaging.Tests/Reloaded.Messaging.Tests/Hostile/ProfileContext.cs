using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Hostile;

[JsonSerializable(typeof(Profile))]
public sealed partial class ProfileContext : JsonSerializerContext;
