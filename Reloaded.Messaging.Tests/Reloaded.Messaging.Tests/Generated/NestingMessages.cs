namespace Reloaded.Messaging.Tests.Generated;

[Message]
public sealed class Chain
{
    public Chain? Next { get; set; }

    [MessageIgnore]
    public int Depth => Next is null ? 0 : Next.Depth + 1;

    public static Chain Of(int depth)
    {
        var chain = new Chain();
        for (var i = 0; i < depth; i++)
            chain = new Chain { Next = chain };
        return chain;
    }
}

[Message(VersionTolerant = true)]
public sealed class TolerantChain
{
    [MessageField(1)]
    public TolerantChain? Next { get; set; }

    [MessageIgnore]
    public int Depth => Next is null ? 0 : Next.Depth + 1;

    public static TolerantChain Of(int depth)
    {
        var chain = new TolerantChain();
        for (var i = 0; i < depth; i++)
            chain = new TolerantChain { Next = chain };
        return chain;
    }
}

/// <summary>A figure that the union doesn't name.</summary>
public sealed record Triangle : Figure;

[Message]
[MessageUnion(1, typeof(Bell))]
public interface INoise;

[Message]
public class Bell : INoise
{
    public int Pitch { get; set; }
}

/// <summary>More than the bell that the union names.</summary>
public sealed class Ring : Bell;

[Message, MessageUnion(0, typeof(Beep)), MessageUnion(200, typeof(Melody))]
public interface ISound;

[Message]
public readonly record struct Beep(int Pitch, int Length) : ISound;

[Message]
public record struct Melody(string Name, ISound? Next) : ISound;
