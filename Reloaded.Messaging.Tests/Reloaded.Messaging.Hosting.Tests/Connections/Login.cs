namespace Reloaded.Messaging.Tests.Connections;

[Message(22)]
public sealed record Login(string Name, [property: Secret] string Password);

[Message(23)]
public sealed record Welcome(string Text);

[Message(24, Pooled = true)]
public sealed class Badge
{
    public string Name { get; set; } = "";

    [Secret]
    public byte[] Key { get; set; } = [];
}
