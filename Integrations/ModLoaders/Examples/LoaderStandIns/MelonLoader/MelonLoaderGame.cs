using System;
using System.Linq;
using System.Reflection;
using MelonLoader;

namespace LoaderStandIns;

/// <summary>A game with one mod: calls what MelonLoader calls. All methods have to be called on one thread, the main thread of the game.</summary>
public sealed class MelonLoaderGame : IDisposable
{
    private readonly MelonMod _mod;

    /// <summary>Creates the mod of an assembly.</summary>
    public MelonLoaderGame(Assembly assembly)
    {
        var info = assembly.GetCustomAttribute<MelonInfoAttribute>() ?? throw new ArgumentException($"{assembly} has no [MelonInfo].", nameof(assembly));
        if (!assembly.GetCustomAttributes<MelonGameAttribute>().Any())
            throw new ArgumentException($"{assembly} has no [MelonGame].", nameof(assembly));
        _mod = (MelonMod)Activator.CreateInstance(info.SystemType)!;
        _mod.Info = info;
        _mod.LoggerInstance = new MelonLogger.Instance(info.Name);
        MelonMod.s_registered.Add(_mod);
        _mod.OnInitializeMelon();
    }

    /// <summary>Runs a frame of the game.</summary>
    public void RunFrame() => _mod.OnUpdate();

    /// <summary>Loads a scene.</summary>
    public void LoadScene(string name) => _mod.OnSceneWasLoaded(0, name);

    /// <summary>Unregisters the mod, as when the game ends.</summary>
    public void Dispose()
    {
        if (MelonMod.s_registered.Remove(_mod))
            _mod.OnDeinitializeMelon();
    }
}
