using System.Numerics;

namespace Reloaded.Messaging.Tests.Generated;

[Message(4)]
public readonly partial record struct Shift(float X, float Y, float Z);

public readonly record struct Placement(Vector3 Position, float Angle);

public enum Level : short
{
    Low = -1,
    High = 300,
}

/// <summary>One member of every form that has a fixed size.</summary>
[Message(200)]
public sealed record Scalars(
    sbyte I1,
    byte U1,
    short I2,
    ushort U2,
    int I4,
    uint U4,
    long I8,
    ulong U8,
    float F4,
    double F8,
    bool Flag,
    char Letter,
    Level Level,
    Guid Id,
    DateTime Time,
    DateTimeOffset Moment,
    TimeSpan Length,
    decimal Price,
    Vector3 Place);

/// <summary>Members of every form that has no fixed size.</summary>
[Message]
public sealed class Everything
{
    public string Text { get; set; } = "";
    public string? MaybeText { get; set; }
    public int? MaybeNumber { get; set; }
    public DateTime? MaybeTime { get; set; }
    public byte[] Bytes { get; set; } = [];
    public float[]? Numbers { get; set; }
    public bool[]? Flags { get; set; }
    public Vector3[]? Places { get; set; }
    public Guid[]? Ids { get; set; }
    public string[]? Names { get; set; }
    public int[][]? Jagged { get; set; }
    public List<long>? Longs { get; set; }
    public List<string?>? MaybeNames { get; set; }
    public List<int?>? MaybeNumbers { get; set; }
    public Dictionary<string, int>? Counts { get; set; }
    public Dictionary<Level, List<Shift>>? Shifts { get; set; }
    public Scalars? Scalars { get; set; }
    public Shift Shift;
    public Shift? MaybeShift { get; set; }
    public Figure? Figure { get; set; }
    public List<Figure>? Figures { get; set; }
    public Everything? Inner { get; set; }

    [MessageIgnore]
    public object? Ignored { get; set; }

    public int Computed => Text.Length;
}

[Message(201)]
[MessageUnion(0, typeof(Circle))]
[MessageUnion(7, typeof(Square))]
public abstract record Figure;

[Message(202)]
public sealed record Circle(double Radius) : Figure;

[Message(203)]
public sealed record Square(double Side, string Color = "red") : Figure;

[Message(204, VersionTolerant = true)]
public sealed record Tolerant([MessageField(1)] int Number, [MessageField(3)] string Text, [MessageField(200)] List<int>? Numbers);

[Message(205, Pooled = true)]
public sealed class Notification
{
    public uint Id { get; set; }
    public double Value { get; set; }
    public uint Status { get; set; } = 5;
    public DateTime SourceTime { get; set; }
    public DateTime ServerTime { get; set; }
}

[Message(206, Pooled = true)]
public sealed class NotificationBatch
{
    [Interned]
    public string Subscription { get; set; } = "";
    public List<Notification> Items { get; set; } = [];
    public Dictionary<string, List<int>>? Extra { get; set; }
}

[Message(207)]
public sealed class Login
{
    public string User { get; set; } = "";

    [Secret]
    public byte[] Token { get; set; } = [];
}

[Message(208, Compressor = typeof(BrotliCompressor), CompressionThreshold = 64, Version = 2)]
public sealed record Report(string Text);

[Message(209)]
public struct Mixed
{
    public byte Small;
    public long Large;
}
