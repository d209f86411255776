using System.Collections.Generic;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace ModLoader;

/// <summary>What a mod says about itself: the fields of a Reloaded-II ModConfig.json. Missing ones are left out when written.</summary>
public sealed class ModConfig
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
    public string[]? Tags { get; set; }
    public bool? CanUnload { get; set; }
    public bool? HasExports { get; set; }
    public bool? IsLibrary { get; set; }
    public string? ReleaseMetadataFileName { get; set; }
    public Dictionary<string, JsonElement>? PluginData { get; set; }
    public bool? IsUniversalMod { get; set; }
    public string[]? ModDependencies { get; set; }
    public string[]? OptionalDependencies { get; set; }
    public string[]? SupportedAppId { get; set; }
    public string? ProjectUrl { get; set; }
    public string? CreatorUrl { get; set; }
    public bool? IsSeparator { get; set; }
}

/// <summary>Generated JSON metadata, so that nothing is looked up by reflection.</summary>
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ModConfig))]
public sealed partial class ModConfigContext : JsonSerializerContext;
