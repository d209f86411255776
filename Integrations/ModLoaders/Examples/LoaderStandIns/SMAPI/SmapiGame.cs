using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using StardewModdingAPI;
using StardewModdingAPI.Events;

namespace LoaderStandIns;

/// <summary>A game with one mod: calls what SMAPI calls. All methods have to be called on one thread, the main thread of the game.</summary>
public sealed class SmapiGame : IDisposable, IModHelper, IModRegistry, IModInfo, IModEvents, IGameLoopEvents, IMonitor
{
    private readonly Mod _mod;

    /// <summary>Creates the mod of an assembly.</summary>
    public SmapiGame(Assembly assembly, IManifest manifest)
    {
        if (manifest.EntryDll != assembly.GetName().Name + ".dll")
            throw new ArgumentException($"The manifest names '{manifest.EntryDll}'.", nameof(manifest));
        Manifest = manifest;
        _mod = (Mod)Activator.CreateInstance(assembly.GetTypes().Single(static type => type.IsSubclassOf(typeof(Mod))))!;
        _mod.Monitor = this;
        _mod.Entry(this);
    }

    public event EventHandler<UpdateTickedEventArgs>? UpdateTicked;

    public event EventHandler<SaveLoadedEventArgs>? SaveLoaded;

    public IManifest Manifest { get; }

    IModEvents IModHelper.Events => this;

    IModRegistry IModHelper.ModRegistry => this;

    IGameLoopEvents IModEvents.GameLoop => this;

    IEnumerable<IModInfo> IModRegistry.GetAll() => [this];

    void IMonitor.Log(string message, LogLevel level) => Console.WriteLine($"[{level}] {message}");

    /// <summary>Runs a frame of the game.</summary>
    public void RunFrame() => UpdateTicked?.Invoke(this, new UpdateTickedEventArgs());

    /// <summary>Loads a saved game.</summary>
    public void LoadSave(string folder)
    {
        Constants.SaveFolderName = folder;
        SaveLoaded?.Invoke(this, new SaveLoadedEventArgs());
    }

    /// <summary>Disposes the mod, as when the game ends.</summary>
    public void Dispose() => _mod.Dispose();
}
