using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Reloaded.Mod.Interfaces;
using Reloaded.Mod.Interfaces.Internal;

namespace LoaderStandIns;

/// <summary>Loads mods from their folders, each in a separate context, and unloads them. Thread-safe.</summary>
public sealed class ModLoaderStandIn : IModLoader
{
    private readonly Dictionary<string, (IMod Mod, ModConfig Config, ModContext Context)> _mods = [];
    private readonly ConsoleLogger _logger = new();

    public Action<IModV1, IModConfigV1>? ModLoaded { get; set; }

    public Action<IModV1, IModConfigV1>? ModUnloading { get; set; }

    public ModGenericTuple<IModConfigV1>[] GetActiveMods()
    {
        lock (_mods)
            return [.. _mods.Values.Select(static loaded => new ModGenericTuple<IModConfigV1>(loaded.Mod, loaded.Config))];
    }

    public ILoggerV1 GetLogger() => _logger;

    /// <summary>Loads the mod of a folder with a ModConfig.json.</summary>
    public void Load(string folder)
    {
        var config = JsonSerializer.Deserialize<ModConfig>(File.ReadAllText(Path.Combine(folder, "ModConfig.json")))!;
        var context = new ModContext(Path.GetFullPath(Path.Combine(folder, config.ModDll)), isCollectible: config.HasExports != false || config.CanUnload == true);
        var type = context.LoadFromAssemblyPath(context.Name!).GetTypes().Single(static type => type.IsAssignableTo(typeof(IMod)));
        var mod = (IMod)Activator.CreateInstance(type)!;
        lock (_mods)
            _mods.Add(config.ModId, (mod, config, context));
        mod.StartEx(this, config);
        ModLoaded?.Invoke(mod, config);
    }

    /// <summary>Unloads a mod. Its context stays if the configuration says that it has no exports, and not that it can be unloaded.</summary>
    /// <returns>A reference to its context, which is collected when nothing refers to the mod.</returns>
    public WeakReference Unload(string modId)
    {
        (IMod Mod, ModConfig Config, ModContext Context) loaded;
        lock (_mods)
        {
            if (!_mods.Remove(modId, out loaded))
                throw new ArgumentException($"No mod '{modId}' is loaded.", nameof(modId));
        }

        if (!loaded.Mod.CanUnload())
            throw new InvalidOperationException($"The mod '{modId}' cannot be unloaded.");
        ModUnloading?.Invoke(loaded.Mod, loaded.Config);
        loaded.Mod.Disposing?.Invoke();
        loaded.Mod.Unload();
        if (loaded.Context.IsCollectible)
            loaded.Context.Unload();
        return new WeakReference(loaded.Context, trackResurrection: true);
    }
}
