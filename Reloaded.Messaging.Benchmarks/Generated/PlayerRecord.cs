using System.Linq;
using System.Text.Json.Serialization;
using MemoryPack;
using MessagePack;

namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>The record with which serializers are compared: a player with items, tags and scores.</summary>
[Message(35)]
[MemoryPackable]
[MessagePackObject]
public sealed partial class PlayerRecord
{
    [Key(0)]
    public int Id { get; set; }

    [Key(1)]
    public string Name { get; set; } = "";

    [Key(2)]
    public int Level { get; set; }

    [Key(3)]
    public long Experience { get; set; }

    [Key(4)]
    public float X { get; set; }

    [Key(5)]
    public float Y { get; set; }

    [Key(6)]
    public float Z { get; set; }

    [Key(7)]
    public bool IsOnline { get; set; }

    [Key(8)]
    public List<PlayerItem> Items { get; set; } = [];

    [Key(9)]
    public List<string> Tags { get; set; } = [];

    [Key(10)]
    public int[] Scores { get; set; } = [];

    /// <summary>Returns a player with eight items.</summary>
    public static PlayerRecord Make() => new()
    {
        Id = 48_213,
        Name = "Aurelia of the Northern Reach",
        Level = 62,
        Experience = 1_284_990,
        X = 1024.5f,
        Y = 33.25f,
        Z = -817.75f,
        IsOnline = true,
        Items = [.. Enumerable.Range(0, 8).Select(static i => new PlayerItem { Id = 1000 + (37 * i), Name = $"Potion of Greater Healing {i}", Count = 1 + (i * 3), Weight = 0.25f * (i + 1) })],
        Tags = ["veteran", "guild-leader", "crafter", "early-access"],
        Scores = [.. Enumerable.Range(0, 16).Select(static i => i * i * 91)],
    };

    /// <summary>Returns the message of Google.Protobuf with the same values.</summary>
    public ProtoPlayer ToProtobuf()
    {
        var proto = new ProtoPlayer { Id = Id, Name = Name, Level = Level, Experience = Experience, X = X, Y = Y, Z = Z, IsOnline = IsOnline };
        proto.Items.AddRange(Items.Select(static item => new ProtoItem { Id = item.Id, Name = item.Name, Count = item.Count, Weight = item.Weight }));
        proto.Tags.AddRange(Tags);
        proto.Scores.AddRange(Scores);
        return proto;
    }
}

/// <summary>An item of a <see cref="PlayerRecord"/>.</summary>
[Message(36)]
[MemoryPackable]
[MessagePackObject]
public sealed partial class PlayerItem
{
    [Key(0)]
    public int Id { get; set; }

    [Key(1)]
    public string Name { get; set; } = "";

    [Key(2)]
    public int Count { get; set; }

    [Key(3)]
    public float Weight { get; set; }
}

/// <summary>The metadata of <see cref="PlayerRecord"/> for System.Text.Json.</summary>
[JsonSerializable(typeof(PlayerRecord))]
internal sealed partial class PlayerRecordContext : JsonSerializerContext;
