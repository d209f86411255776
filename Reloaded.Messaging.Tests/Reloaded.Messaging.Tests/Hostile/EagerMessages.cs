namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>Messages that make collections whether the payload brings them or not.</summary>
[Message]
public sealed class Eager
{
    public List<EagerMaker>? Makers { get; set; }
    public List<EagerTaker>? Takers { get; set; }
    public List<EagerPair>? Pairs { get; set; }
}

/// <summary>Makes them first, and again those that the payload brings.</summary>
[Message]
public sealed class EagerMaker
{
    public Dictionary<byte, byte> A { get; set; } = [];
    public Dictionary<byte, byte> B { get; set; } = [];
    public Dictionary<byte, byte> C { get; set; } = [];
    public Dictionary<byte, byte> D { get; set; } = [];
    public Dictionary<byte, byte> E { get; set; } = [];
    public Dictionary<byte, byte> F { get; set; } = [];
    public Dictionary<byte, byte> G { get; set; } = [];
    public Dictionary<byte, byte> H { get; set; } = [];
    public Dictionary<byte, byte> I { get; set; } = [];
    public Dictionary<byte, byte> J { get; set; } = [];
    public Dictionary<byte, byte> K { get; set; } = [];
    public Dictionary<byte, byte> L { get; set; } = [];
    public Dictionary<byte, byte> M { get; set; } = [];
    public Dictionary<byte, byte> N { get; set; } = [];
    public Dictionary<byte, byte> O { get; set; } = [];
    public Dictionary<byte, byte> P { get; set; } = [];
}

/// <summary>Makes those that the payload did not bring.</summary>
[Message]
public sealed record EagerTaker(
    Dictionary<byte, byte> A,
    Dictionary<byte, byte> B,
    Dictionary<byte, byte> C,
    Dictionary<byte, byte> D,
    Dictionary<byte, byte> E,
    Dictionary<byte, byte> F,
    Dictionary<byte, byte> G,
    Dictionary<byte, byte> H,
    Dictionary<byte, byte> I,
    Dictionary<byte, byte> J,
    Dictionary<byte, byte> K,
    Dictionary<byte, byte> L,
    Dictionary<byte, byte> M,
    Dictionary<byte, byte> N,
    Dictionary<byte, byte> O,
    Dictionary<byte, byte> P);

[Message]
public record struct EagerPair(List<int> A, Dictionary<int, int> B);
