using System.Collections.Generic;
using Reloaded.Messaging.Contracts;

namespace Reloaded.Messaging.Tests.Generated;

[Message(Pooled = true)]
public sealed class PooledLogin
{
    public string User { get; set; } = "nobody";

    [Secret]
    public byte[]? Token { get; set; }
}

/// <summary>Everything that can be rented, inside of everything that can hold it.</summary>
[Message(Pooled = true)]
[Interned]
public sealed class PooledNest
{
    public string? Name { get; set; }
    public Notification? One { get; set; }
    public Notification[]? Array { get; set; }
    public List<List<Notification>>? Lists { get; set; }
    public Dictionary<int, List<string>>? Map { get; set; }
    public PooledNest? Inner { get; set; }
    public int? Last { get; set; }
}

[Message]
public sealed record HoldsLogin(Login? Login) : IPerhapsSecret;

[Message]
public sealed record HoldsLogins(Dictionary<string, List<Login?>> Logins);

[Message]
[MessageUnion(0, typeof(HoldsLogin))]
[MessageUnion(1, typeof(Plain))]
public interface IPerhapsSecret;

[Message]
public sealed record Plain(int Number) : IPerhapsSecret;
