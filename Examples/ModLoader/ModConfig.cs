using System.Collections.Generic;
using System.Text.Json.Serialization;
using Reloaded.Messaging.Contracts;

namespace ModLoader;

/// <summary>What a mod says about itself: the fields of a Reloaded-II ModConfig.json. Missing ones are left out when written.</summary>
[Message(1)]
public class ModConfig
{
    public string ModId { get; set; } = "";
    public string? ModName { get; set; }
    public string? ModAuthor { get; set; }
    public string? ModVersion { get; set; }
    public string? ModDescription { get; set; }
    public string? ModDll { get; set; }
    public string? ModIcon { get; set; }
    public string? ModR2RManagedDll32 { get; set; }
    public string? ModR2RManagedDll64 { get; set; }
    public string? ModNativeDll32 { get; set; }
    public string? ModNativeDll64 { get; set; }
    public List<string>? Tags { get; set; }
    public bool? CanUnload { get; set; }
    public bool? HasExports { get; set; }
    public bool? IsLibrary { get; set; }
    public string? ReleaseMetadataFileName { get; set; }

    /// <summary>What plugins keep in it, of any form: kept as the JSON that it is.</summary>
    [JsonConverter(typeof(RawJsonConverter))]
    public string? PluginData { get; set; }

    public bool? IsUniversalMod { get; set; }
    public List<string>? ModDependencies { get; set; }
    public List<string>? OptionalDependencies { get; set; }
    public List<string>? SupportedAppId { get; set; }
    public string? ProjectUrl { get; set; }
    public string? CreatorUrl { get; set; }
    public bool? IsSeparator { get; set; }
}

/// <summary>The same, read into an instance that was used before, with strings that were seen before: for who is told about many mods, often.</summary>
[Message(2, Pooled = true)]
[Interned]
public sealed class PooledModConfig : ModConfig;

/// <summary>Generated JSON metadata, so that nothing is looked up by reflection.</summary>
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ModConfig))]
[JsonSerializable(typeof(PooledModConfig))]
public sealed partial class ModConfigContext : JsonSerializerContext;
