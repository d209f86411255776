using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using BepInEx;
using BepInEx.Unity.IL2CPP;
using BepInEx.Unity.Mono;
using BepInEx.Unity.Mono.Bootstrap;
using UnityEngine.SceneManagement;

namespace LoaderStandIns;

/// <summary>A game with one plugin: calls what BepInEx 6 and the engine call. All methods have to be called on one thread, the main thread of the game.</summary>
public sealed class BepInEx6Game : IDisposable
{
    /// <summary>The components of the running game.</summary>
    private static readonly List<object> s_components = [];

    /// <summary>Creates the plugin of an assembly.</summary>
    public BepInEx6Game(Assembly assembly)
    {
        var type = assembly.GetTypes().Single(static type => type.IsSubclassOf(typeof(BaseUnityPlugin)) || type.IsSubclassOf(typeof(BasePlugin)));
        var info = new PluginInfo(type.GetCustomAttribute<BepInPlugin>()!);
        (type.IsSubclassOf(typeof(BasePlugin)) ? IL2CPPChainloader.Instance.Plugins : UnityChainloader.Instance.Plugins).Add(info.Metadata.GUID, info);
        var plugin = Activator.CreateInstance(type)!;
        if (plugin is BasePlugin il2cpp)
            il2cpp.Load();
        else
            Add(plugin);
    }

    /// <summary>Runs a frame of the game.</summary>
    public static void RunFrame() => CallAll("Update");

    /// <summary>Loads a scene.</summary>
    public static void LoadScene(string name) => SceneManager.Load(name);

    /// <summary>Destroys the components, as when the game ends.</summary>
    public void Dispose()
    {
        CallAll("OnDestroy");
        s_components.Clear();
        IL2CPPChainloader.Instance.Plugins.Clear();
        UnityChainloader.Instance.Plugins.Clear();
    }

    internal static void Add(object component)
    {
        s_components.Add(component);
        Call(component, "Awake");
    }

    private static void CallAll(string method)
    {
        foreach (var component in s_components)
            Call(component, method);
    }

    private static void Call(object component, string method) =>
        component.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)?.Invoke(component, null);
}
