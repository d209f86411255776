using System;
using System.Collections.Generic;
using System.Reflection;
using BepInEx.Logging;
using BepInEx.Unity.IL2CPP;
using BepInEx.Unity.Mono.Bootstrap;
using UnityEngine.SceneManagement;

namespace LoaderStandIns;

/// <summary>A game with plugins: calls what BepInEx 6 and the engine call. All methods have to be called on one thread, the main thread of the game.</summary>
public sealed class BepInEx6Game : IDisposable
{
    /// <summary>The components of the running game.</summary>
    private static readonly List<object> s_components = [];
    private static readonly ManualLogSource s_log = new("Unity Log");

    /// <summary>Creates the plugins of assemblies, in the running game.</summary>
    public BepInEx6Game(params Assembly[] assemblies)
    {
        UnityChainloader.Instance.Execute(assemblies);
        IL2CPPChainloader.Instance.Execute(assemblies);
    }

    /// <summary>The lines of the log.</summary>
    public static IReadOnlyList<string> Log => ManualLogSource.Lines;

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

    /// <summary>Calls a method of all components. As in the engine, an exception is logged, and the game goes on.</summary>
    private static void CallAll(string method)
    {
        foreach (var component in s_components)
        {
            try
            {
                Call(component, method);
            }
            catch (TargetInvocationException e)
            {
                s_log.LogError(e.InnerException!);
            }
        }
    }

    private static void Call(object component, string method) =>
        component.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)?.Invoke(component, null);
}
