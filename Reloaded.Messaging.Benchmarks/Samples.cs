using System.IO;
using System.Text.Json;
using Google.Protobuf.Collections;
using Google.Protobuf.Reflection;
using ModLoader;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks;

/// <summary>The mod configurations that ship with the mod loader example.</summary>
public static class Samples
{
    /// <summary>The configuration of the JSON figures: 2 KiB, with plugin data, like most published configurations.</summary>
    public static ModConfig Typical { get; } = JsonSerializer.Deserialize(Bytes("example.voices.original.json"), ModConfigContext.Default.ModConfig)!;

    /// <summary>The same configuration without plugin data.</summary>
    public static ModConfig WithoutPluginData { get; } = MakeWithoutPluginData();

    /// <summary>All sample configurations.</summary>
    public static PooledModConfig[] All { get; } = Array.ConvertAll(
        ["example.remote.server.json", "example.sharedlib.hooks.json", "example.small.json", "example.voices.original.json"],
        static name => JsonSerializer.Deserialize(Bytes(name), ModConfigContext.Default.PooledModConfig)!);

    /// <summary>Returns the given number of configurations, made from the samples. Each belongs to a different mod and has different strings where they identify the mod.</summary>
    public static PooledModConfig[] Distinct(int count)
    {
        var configs = new PooledModConfig[count];
        for (var i = 0; i < count; i++)
        {
            var json = JsonSerializer.Serialize(All[i % All.Length], ModConfigContext.Default.PooledModConfig);
            configs[i] = JsonSerializer.Deserialize(json.Replace("example", $"example{i}", StringComparison.Ordinal), ModConfigContext.Default.PooledModConfig)!;
            configs[i].ModName += $" {i}";
            configs[i].ModDescription += $" ({i})";
            configs[i].ModAuthor += $" {i}";
        }

        return configs;
    }

    /// <summary>Returns the message of Google.Protobuf with the same fields. The data of plugins are JSON text.</summary>
    public static ProtoModConfig ToProtobuf(ModConfig config)
    {
        var proto = new ProtoModConfig();
        var json = JsonSerializer.SerializeToElement(config, ModConfigContext.Default.ModConfig);
        foreach (var field in ProtoModConfig.Descriptor.Fields.InDeclarationOrder())
        {
            if (field.FieldNumber == ProtoModConfig.PluginJsonFieldNumber)
                proto.PluginJson = config.PluginJson;
            else if (json.TryGetProperty(NameOf(field), out var value))
                Set(proto, field, value);
        }

        return proto;
    }

    private static string NameOf(FieldDescriptor field) => char.ToUpperInvariant(field.JsonName[0]) + field.JsonName.Substring(1);

    private static void Set(ProtoModConfig proto, FieldDescriptor field, JsonElement value)
    {
        if (field.IsRepeated)
        {
            var list = (RepeatedField<string>)field.Accessor.GetValue(proto);
            foreach (var item in value.EnumerateArray())
                list.Add(item.GetString()!);
        }
        else
        {
            field.Accessor.SetValue(proto, field.FieldType == FieldType.Bool ? value.GetBoolean() : value.GetString());
        }
    }

    private static ModConfig MakeWithoutPluginData()
    {
        var config = JsonSerializer.Deserialize(Bytes("example.voices.original.json"), ModConfigContext.Default.ModConfig)!;
        config.PluginData = null;
        return config;
    }

    /// <summary>The bytes of a sample file.</summary>
    public static byte[] Bytes(string name)
    {
        using var stream = typeof(Samples).Assembly.GetManifestResourceStream(name) ?? throw new FileNotFoundException("The sample is not embedded in this assembly.", name);
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }
}
