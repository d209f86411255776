using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using BepInEx;
using BepInEx.Bootstrap;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace LoaderStandIns;

/// <summary>A game with plugins: calls what the engine calls. All methods have to be called on one thread, the main thread of the game.</summary>
public sealed class GameStandIn : IDisposable
{
    private readonly List<(string Guid, MonoBehaviour Plugin)> _plugins = [];

    /// <summary>Creates the plugins of an assembly, and calls their Awake.</summary>
    public void LoadPlugins(Assembly assembly)
    {
        foreach (var type in assembly.GetTypes().Where(static type => type.IsSubclassOf(typeof(BaseUnityPlugin))))
        {
            var metadata = type.GetCustomAttribute<BepInPlugin>() ?? throw new InvalidOperationException($"{type} has no [BepInPlugin].");
            var plugin = (MonoBehaviour)Activator.CreateInstance(type)!;
            _plugins.Add((metadata.GUID, plugin));
            Chainloader.PluginInfos.Add(metadata.GUID, new PluginInfo(metadata));
            Call(plugin, "Awake");
        }
    }

    /// <summary>Runs a frame of the game.</summary>
    public void RunFrame()
    {
        foreach (var (_, plugin) in _plugins)
            Call(plugin, "Update");
    }

    /// <summary>Loads a scene.</summary>
    public static void LoadScene(string name) => SceneManager.Load(name);

    /// <summary>Destroys the plugins, as when the game ends.</summary>
    public void Dispose()
    {
        foreach (var (guid, plugin) in _plugins)
        {
            Chainloader.PluginInfos.Remove(guid);
            Call(plugin, "OnDestroy");
        }

        _plugins.Clear();
    }

    private static void Call(MonoBehaviour plugin, string method) =>
        plugin.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)?.Invoke(plugin, null);
}
