using System;
using System.Collections.Generic;
using BepInEx.Logging;

namespace BepInEx
{
    /// <summary>Marks the class of a plugin.</summary>
    [AttributeUsage(AttributeTargets.Class)]
    public class BepInPlugin(string GUID, string Name, string Version) : Attribute
    {
        public string GUID { get; } = GUID;

        public string Name { get; } = Name;

        public SemanticVersioning.Version Version { get; } = new(Version);
    }

    /// <summary>A loaded plugin.</summary>
    public class PluginInfo
    {
        internal PluginInfo(BepInPlugin metadata) => Metadata = metadata;

        public BepInPlugin Metadata { get; }
    }
}

namespace SemanticVersioning
{
    public class Version(string input)
    {
        public override string ToString() => input;
    }
}

namespace BepInEx.Logging
{
    /// <summary>The log of a plugin.</summary>
    public class ManualLogSource(string sourceName)
    {
        public void LogError(object data) => Console.WriteLine($"[Error :{sourceName}] {data}");
    }
}

namespace BepInEx.Bootstrap
{
    /// <summary>The loader of plugins.</summary>
    public abstract class BaseChainloader<TPlugin>
    {
        /// <summary>The loaded plugins, by their GUIDs.</summary>
        public Dictionary<string, PluginInfo> Plugins { get; } = [];
    }
}

namespace BepInEx.Unity.Mono
{
    /// <summary>The base class of plugins in games with Mono.</summary>
    public abstract class BaseUnityPlugin : UnityEngine.MonoBehaviour
    {
        protected BaseUnityPlugin() => Logger = new ManualLogSource(GetType().Name);

        protected ManualLogSource Logger { get; }
    }
}

namespace BepInEx.Unity.Mono.Bootstrap
{
    /// <summary>The loader of plugins in games with Mono.</summary>
    public class UnityChainloader : BepInEx.Bootstrap.BaseChainloader<BaseUnityPlugin>
    {
        public static UnityChainloader Instance { get; set; } = new();
    }
}

namespace BepInEx.Unity.IL2CPP
{
    /// <summary>The base class of plugins in games with IL2CPP.</summary>
    public abstract class BasePlugin
    {
        protected BasePlugin() => Log = new ManualLogSource(GetType().Name);

        public ManualLogSource Log { get; }

        public abstract void Load();

        public virtual bool Unload() => false;

        /// <summary>Adds a component, whose methods the engine calls by their names.</summary>
        public T AddComponent<T>()
            where T : Il2CppInterop.Runtime.InteropTypes.Il2CppObjectBase
        {
            var component = (T)Activator.CreateInstance(typeof(T), IntPtr.Zero)!;
            LoaderStandIns.BepInEx6Game.Add(component);
            return component;
        }
    }

    /// <summary>The loader of plugins in games with IL2CPP.</summary>
    public class IL2CPPChainloader : BepInEx.Bootstrap.BaseChainloader<BasePlugin>
    {
        public static IL2CPPChainloader Instance { get; set; } = new();
    }
}
