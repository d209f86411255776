namespace Reloaded.Messaging.Tests.Generated;

// The first and the second version of messages, each with an id of its own so that both fit into one project.

/// <summary>The first version of <see cref="SettingsV2"/>.</summary>
[Message]
public sealed class SettingsV1
{
    public string Name { get; set; } = "";
    public int Size { get; set; }
}

/// <summary>Set member by member: what is missing keeps its initializer.</summary>
[Message]
public sealed class SettingsV2
{
    public string Name { get; set; } = "";
    public int Size { get; set; } = 7;
    public string Color { get; set; } = "green";
    public List<int> Numbers { get; set; } = [1, 2];
    public string? Note { get; set; } = "none";
    public string Bare { get; set; } = null!;
    public byte[] Bytes { get; set; } = null!;
    public Dictionary<string, int> Map { get; set; } = null!;
}

/// <summary>Made by its constructor: what is missing is what the parameter says, or as empty as can be.</summary>
[Message]
public sealed record RecordV2(string Name, int Size = 7, string Color = "green", Level Level = Level.High, string Bare = "", int? Maybe = 5, List<int>? Numbers = null);

[Message]
public sealed record RequiredV2(string Name, int Size, string Text, int[] Array, List<int> Numbers, Dictionary<int, int> Map);

/// <summary>Has a message that never is null, and for which nothing can stand in.</summary>
[Message]
public sealed record NeedyV2(string Name, int Size, Square Square);

/// <summary>Holds the first version in a list.</summary>
[Message]
public sealed record ShelfV1(List<SettingsV1> All, int Mark);

[Message]
public sealed record ShelfV2(List<SettingsV2> All, int Mark);

[Message]
public record struct PointV1(int X, short Y, short Z);

[Message]
public record struct PointV2(int X, short Y, short Z, long T);

[Message(VersionTolerant = true)]
public sealed record LooseV1([MessageField(1)] int Number, [MessageField(2)] string Gone, [MessageField(5)] string Text);

/// <summary>2 is gone, 1 and 5 changed places and one of them its name, and 4 and 9 are new.</summary>
[Message(VersionTolerant = true)]
public sealed record LooseV2([MessageField(5)] string Title, [MessageField(9)] List<int> More, [MessageField(1)] int Number, [MessageField(4)] int Fresh = 3);

[Message]
public sealed record MovedV1(int Size, string Name);

[Message]
public sealed record RetypedV1(string Name, long Size);

[Message]
public sealed record RowV1(string Text);

[Message]
public sealed record RowV2(string Text, string? A, string? B, string? C, string? D, string? E, string? F, string? G, string? H, string? I, string? J);

[Message]
public sealed record RowsV1(List<RowV1> All);

[Message]
public sealed record RowsV2(List<RowV2> All);
