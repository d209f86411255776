using Reloaded.Messaging;
using Reloaded.Messaging.Tests.Generated;

[assembly: MessageConverter(typeof(EngineConverters))]
[assembly: MessageConverter(typeof(KeyConverter))]

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>A class of another library: no member of it can be sent.</summary>
public sealed class Tint
{
    private readonly int _argb;

    private Tint(int argb) => _argb = argb;

    public static Tint Of(int argb) => new(argb);

    public int Pack() => _argb;
}

/// <summary>A class with a name.</summary>
public sealed class Texture(string name)
{
    internal string Name { get; } = name;
}

/// <summary>A struct that is not sent as its bytes, because of its converter.</summary>
public readonly record struct Fine(float X, float Y)
{
    public static implicit operator Fine((float X, float Y) pair) => new(pair.X, pair.Y);
}

/// <summary>A struct with contents that are never sent as they are.</summary>
public readonly record struct Pass(string Text);

[Message]
public sealed record PassBytes([property: Secret] byte[] Value);

/// <summary>Converters of several types in one class.</summary>
public static class EngineConverters
{
    public static int ToSurrogate(Tint value) => value.Pack();

    public static bool TryFromSurrogate(int surrogate, out Tint value)
    {
        value = Tint.Of(surrogate);
        return surrogate != -1;
    }

    public static (short X, short Y) ToSurrogate(in Fine value) => ((short)value.X, (short)value.Y);

    public static bool TryFromSurrogate((short X, short Y) surrogate, out Fine value)
    {
        value = new(surrogate.X, surrogate.Y);
        return true;
    }

    internal static string ToSurrogate(Texture value) => value.Name == "thrown" ? throw new NotSupportedException("no texture") : value.Name == "null" ? null! : value.Name;

    internal static bool TryFromSurrogate(in string surrogate, out Texture? value)
    {
        value = surrogate.Length == 0 ? null : surrogate == "broken" ? throw new NotSupportedException("no texture") : new(surrogate);
        return true;
    }
}

/// <summary>The surrogate is a message.</summary>
public struct KeyConverter
{
    public static PassBytes ToSurrogate(Pass value) => new(System.Text.Encoding.UTF8.GetBytes(value.Text));

    public static bool TryFromSurrogate(PassBytes surrogate, out Pass value)
    {
        value = new(System.Text.Encoding.UTF8.GetString(surrogate.Value));
        return true;
    }
}

/// <summary>A time as seconds, for members that say so.</summary>
public static class Seconds
{
    public static uint ToSurrogate(TimeSpan value) => (uint)value.TotalSeconds;

    public static bool TryFromSurrogate(uint surrogate, out TimeSpan value)
    {
        value = TimeSpan.FromSeconds(surrogate);
        return surrogate < 100;
    }
}

[Message]
public sealed record TintForm(Tint Value, Tint? More = null);

[Message]
public sealed record TintsForm(List<Tint?> List, Dictionary<string, Tint> Map, (Tint A, int B)[] Pairs);

[Message]
public sealed record TextureForm(Texture Value, Texture? More = null);

[Message]
public sealed record FineForm(Fine Value, Fine? More, HashSet<Fine> Set);

[Message]
public readonly record struct TwoFine(Fine A, Fine B);

[Message]
public sealed record PassForm(Pass Value);

/// <summary>A tree of any depth.</summary>
public sealed class Branch(string name)
{
    public string Name => name;

    public List<Branch> Children { get; } = [];
}

/// <summary>A tree is sent as a list of its nodes, each after its parent.</summary>
public static class BranchList
{
    public static List<(int Parent, string Name)> ToSurrogate(Branch value)
    {
        List<(int Parent, string Name)> nodes = [];
        var waiting = new Stack<(int Parent, Branch Branch)>([(-1, value)]);
        while (waiting.TryPop(out var one))
        {
            foreach (var child in one.Branch.Children)
                waiting.Push((nodes.Count, child));
            nodes.Add((one.Parent, one.Branch.Name));
        }

        return nodes;
    }

    public static bool TryFromSurrogate(List<(int Parent, string Name)> surrogate, out Branch? value)
    {
        List<Branch> made = [];
        value = null;
        foreach (var (parent, name) in surrogate)
        {
            var branch = new Branch(name);
            if (made.Count > 0 && (uint)parent >= made.Count)
                return false;
            if (made.Count > 0)
                made[parent].Children.Add(branch);
            made.Add(branch);
        }

        value = made.Count > 0 ? made[0] : null;
        return made.Count > 0;
    }
}

[Message]
public sealed record TreeForm([property: MessageConverter(typeof(BranchList))] Branch Value);

[Message]
public sealed record WaitForm([MessageConverter(typeof(Seconds))] TimeSpan Value, TimeSpan Plain, [MessageConverter(typeof(Seconds))] List<TimeSpan?>? List = null);

[Message(VersionTolerant = true)]
public sealed class TolerantTint
{
    [MessageField(1)]
    public Tint? Tint { get; set; }

    [MessageField(2), MessageConverter(typeof(Seconds))]
    public TimeSpan Wait { get; set; } = TimeSpan.FromSeconds(3);
}

[Message(Pooled = true)]
public sealed class PooledTints
{
    public Tint Main { get; set; } = Tint.Of(0);

    public Dictionary<Fine, Tint?> Map { get; set; } = [];

    [MessageConverter(typeof(Seconds))]
    public TimeSpan Wait { get; set; } = TimeSpan.FromSeconds(3);
}
