using Reloaded.Messaging.Contracts;

namespace Reloaded.Messaging.Tests.Sessions;

[Message(20)]
public sealed record Login(string Name, [property: Secret] string Password);

[Message(21)]
public sealed record Welcome(string Text);
