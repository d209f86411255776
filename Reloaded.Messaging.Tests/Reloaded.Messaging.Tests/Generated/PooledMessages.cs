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

[Message]
public sealed record HoldsKeys(List<Key?>? Keys);

/// <summary>No message of its own: it travels as its own bytes.</summary>
public record struct Key(KeyPart Low, KeyPart High);

public record struct KeyPart([Secret] ulong Bits);

[Message]
public sealed record HoldsSeal(Seal Seal);

/// <summary>Also a field that only the struct sees is in its bytes.</summary>
public struct Seal(ulong bits)
{
    [Secret]
    private readonly ulong _bits = bits;

    public readonly bool IsOf(ulong bits) => bits == _bits;
}
