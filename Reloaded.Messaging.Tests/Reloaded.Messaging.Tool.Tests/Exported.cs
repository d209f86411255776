namespace Reloaded.Messaging.Tests.Exported;

/// <summary>One of each kind of member, under names that other languages use for something else.</summary>
[Message(20), Obsolete("Use Part.")]
public sealed class Everything
{
    /// <summary>The id of the mod.</summary>
    public Guid Id { get; set; }
    public Side Side { get; set; } = Side.Enemy;

    /// <summary>Ends with */ and """ and a backslash \.</summary>
    [Obsolete("Use Huge.")]
    public long? Count { get; set; }
    public Rights Rights { get; set; } = Rights.Read | Rights.Write;
    public Large Large { get; set; } = Large.Most;
    public Side? OtherSide { get; set; } = Exported.Side.Friend;
    public Place Place { get; set; }
    public (int X, string? Name, Place) Tuple { get; set; }
    public ((int A, bool B), Side)? Pair { get; set; }
    public Dictionary<string, List<Part?>> ByName { get; set; } = [];
    public Dictionary<int, Place>? ByNumber { get; set; }
    public HashSet<string> Tags { get; set; } = [];
    public byte[] Data { get; set; } = [];
    public ReadOnlyMemory<byte>? More { get; set; }
    public Uri? Link { get; set; }
    public Version Version { get; set; } = new();
    public DateTime At { get; set; }
    public DateTimeOffset Moment { get; set; }
    public TimeSpan Length { get; set; }
    public DateOnly Day { get; set; }
    public Half Half { get; set; }
    public float Rate { get; set; } = float.NaN;
    public decimal Price { get; set; } = 1.50m;
    public char Letter { get; set; } = 'ß';
    public string Text { get; set; } = "\"\\\n";
    public UInt128 Huge { get; set; }
    public Outcome? Outcome { get; set; }
    public Part Part { get; set; } = new();
    public int lambda { get; set; }
    public int[] list { get; set; } = [];
    public string? field { get; set; }
}

/// <summary>A part.</summary>
[Message(21)]
public sealed class Part
{
    public bool None { get; set; } = true;
    public List<Part> Parts { get; set; } = [];
}

/// <summary>What became of a request.</summary>
[Message(22), MessageUnion(0, typeof(Loaded)), MessageUnion(1, typeof(Failed))]
public abstract record Outcome;

[Message(23)]
public sealed record Loaded(string Id) : Outcome;

[Message(24)]
public sealed record Failed(string Id, string Reason = "unknown") : Outcome;

[Message(25)]
public sealed record Load(string Id) : IRequest<Outcome>;

public static class Second
{
    /// <summary>A name that another contract has too.</summary>
    [Message(26)]
    public sealed record Load;
}

/// <summary>A name that TypeScript uses.</summary>
[Message(27, VersionTolerant = true)]
public sealed record Map([property: MessageField(1)] Map? Inner, [property: MessageField(7)] Second.Load? Last);

/// <summary>A name that both languages use.</summary>
[Message(28)]
public record struct Time(decimal Value);

/// <summary>The sides.</summary>
public enum Side
{
    /// <summary>Never shoots.</summary>
    Friend,
    Enemy = 5,
}

[Flags]
public enum Rights
{
    None = 0,
    Read = 1,
    Write = 2,
}

public enum Large : ulong
{
    Most = ulong.MaxValue,
}

/// <summary>A place.</summary>
public record struct Place(Point At, Side Side);

public record struct Point(float X, float Y);

/// <summary>Reads the log of a mod.</summary>
[Message(29)]
public sealed record Tail(string Mod) : IStreamRequest<Line>;

[Message(31)]
public sealed record Line(string Text);
