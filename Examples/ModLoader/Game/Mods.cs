using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using ModLoader.Messaging;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Game;

/// <summary>The mods of a game. They may be used only on the thread that created this instance; other threads get an exception.</summary>
public sealed class Mods : IModLoader
{
    private readonly Dictionary<string, Mod> _mods = new(StringComparer.Ordinal);
    private readonly int _thread = Environment.CurrentManagedThreadId;

    public Mods(IEnumerable<ModFile> files)
    {
        foreach (var file in files)
            _mods.TryAdd(file.Config.ModId, new Mod(file.Config));
    }

    public void Update()
    {
        CheckThread();
        foreach (var (_, mod) in _mods)
            mod.Update();
    }

    public Task<ModList> ListAsync()
    {
        CheckThread();
        var entries = new List<ModEntry>(_mods.Count);
        foreach (var (_, mod) in _mods)
            entries.Add(new ModEntry(mod.Config, mod.State, mod.Frames));
        return Task.FromResult(new ModList(Environment.ProcessId, entries));
    }

    /// <exception cref="RequestFaultException">Thrown when the change is not possible. The tool receives the code and the message.</exception>
    /// <exception cref="FileNotFoundException">Thrown when the mod is broken. The tool learns only that the handler failed.</exception>
    public Task<ModState> SetAsync(string mod, ModState state)
    {
        CheckThread();
        var target = _mods.TryGetValue(mod, out var found) ? found : throw new RequestFaultException(ModFault.UnknownMod, $"The game has no mod '{mod}'.");
        var before = target.State;
        switch (state)
        {
            case ModState.Running:
                CheckNeeds(target);
                break;
            case ModState.Suspended when before == ModState.Unloaded:
                throw new RequestFaultException(ModFault.NotLoaded, $"{mod} is not loaded.");
            case ModState.Suspended or ModState.Unloaded:
                CheckIsNotNeeded(mod);
                break;
            default:
                throw new RequestFaultException(ModFault.UnknownState, $"{state} is not a state of a mod.");
        }

        target.State = state;
        return Task.FromResult(before);
    }

    private void CheckNeeds(Mod mod)
    {
        foreach (var other in mod.Config.ModDependencies ?? [])
        {
            if (!_mods.TryGetValue(other, out var needed))
                throw new FileNotFoundException($"{mod.Config.ModId} needs {other}, which is not in the folder of the game.");
            if (needed.State != ModState.Running)
                throw new RequestFaultException(ModFault.NeedsAnother, $"{mod.Config.ModId} needs {other}. Load {other} first.");
        }
    }

    private void CheckIsNotNeeded(string id)
    {
        foreach (var (other, mod) in _mods)
        {
            if (mod.State == ModState.Running && mod.Config.ModDependencies?.Contains(id) == true)
                throw new RequestFaultException(ModFault.IsNeeded, $"{id} is needed by {other}, which is running. Unload {other} first.");
        }
    }

    private void CheckThread()
    {
        if (Environment.CurrentManagedThreadId != _thread)
            throw new InvalidOperationException($"Thread {Environment.CurrentManagedThreadId} used the mods; only the main thread of the game ({_thread}) may use them.");
    }
}
