using System.Buffers;
using System.Collections.Generic;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Reloaded.Messaging;

namespace ModLoader;

/// <summary>The configuration of a mod: the fields of a Reloaded-II ModConfig.json. Missing fields are not written.</summary>
[Message(1)]
public class ModConfig
{
    private JsonElement? _element;
    private string? _json;

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

    /// <summary>The data of plugins, in any form. A message contains it as JSON text: <see cref="PluginJson"/>.</summary>
    [MessageIgnore]
    public JsonElement? PluginData
    {
        get => _element ??= _json is null ? null : JsonElement.Parse(_json);
        set => (_element, _json) = (value, null);
    }

    /// <summary>The text of <see cref="PluginData"/>, without white space.</summary>
    [JsonIgnore]
    public string? PluginJson
    {
        get => _json ??= _element is { } element ? Write(element) : null;
        set => (_json, _element) = (value, null);
    }

    public bool? IsUniversalMod { get; set; }
    public List<string>? ModDependencies { get; set; }
    public List<string>? OptionalDependencies { get; set; }
    public List<string>? SupportedAppId { get; set; }
    public string? ProjectUrl { get; set; }
    public string? CreatorUrl { get; set; }
    public bool? IsSeparator { get; set; }

    private static string Write(JsonElement element)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
            element.WriteTo(writer);
        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}

/// <summary>The same configuration, read into rented instances with interned strings. Suited to a program that receives many configurations repeatedly.</summary>
[Message(2, Pooled = true)]
[Interned]
public sealed class PooledModConfig : ModConfig;

/// <summary>The JSON metadata, generated so that the serializer needs no reflection.</summary>
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ModConfig))]
[JsonSerializable(typeof(PooledModConfig))]
public sealed partial class ModConfigContext : JsonSerializerContext;
