using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
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
        internal PluginInfo(BepInPlugin metadata, Type type) => (Metadata, TypeName, Location) = (metadata, type.FullName!, type.Assembly.Location);

        public BepInPlugin Metadata { get; }

        public string Location { get; }

        public string TypeName { get; }

        /// <summary>The plugin; null until it was created.</summary>
        public object? Instance { get; internal set; }
    }
}

namespace SemanticVersioning
{
    public class Version(string input)
    {
        private readonly System.Version _version = System.Version.Parse(input.Split('-', '+')[0]);

        public int Major => _version.Major;

        public override string ToString() => input;
    }
}

namespace BepInEx.Logging
{
    /// <summary>The log of a plugin.</summary>
    public class ManualLogSource(string sourceName)
    {
        public void LogError(object data) => Log("Error", data);

        public void LogWarning(object data) => Log("Warning", data);

        private void Log(string level, object data)
        {
            Lines.Add($"[{level} :{sourceName}] {data}");
            Console.WriteLine(Lines[^1]);
        }

        /// <summary>The lines that were written, for the tests.</summary>
        internal static List<string> Lines { get; } = [];
    }
}

namespace BepInEx.Bootstrap
{
    /// <summary>The loader of plugins.</summary>
    public abstract class BaseChainloader<TPlugin>
    {
        private static readonly ManualLogSource s_log = new("BepInEx");

        public static BaseChainloader<TPlugin> Instance { get; protected set; } = null!;

        /// <summary>The loaded plugins, by their GUIDs.</summary>
        public Dictionary<string, PluginInfo> Plugins { get; } = [];

        public abstract TPlugin LoadPlugin(PluginInfo pluginInfo, Assembly pluginAssembly);

        /// <summary>Creates the plugins of assemblies. A plugin that is invalid or that throws is logged, and the game goes on.</summary>
        internal void Execute(Assembly[] assemblies)
        {
            foreach (var type in assemblies.SelectMany(static assembly => assembly.GetTypes()).Where(static type => !type.IsAbstract && type.IsSubclassOf(typeof(TPlugin))))
            {
                if (type.GetCustomAttribute<BepInPlugin>() is not { } metadata)
                    s_log.LogWarning($"Skipping over type [{type.FullName}] as no metadata attribute is specified");
                else if (!Regex.IsMatch(metadata.GUID, "^[a-zA-Z0-9._-]+$"))
                    s_log.LogWarning($"Skipping type [{type.FullName}] because its GUID [{metadata.GUID}] is of an illegal format.");
                else if (!Plugins.ContainsKey(metadata.GUID)) // otherwise, the first one stays
                    Load(new PluginInfo(metadata, type), type.Assembly);
            }
        }

        private void Load(PluginInfo plugin, Assembly assembly)
        {
            try
            {
                RuntimeHelpers.RunModuleConstructor(assembly.ManifestModule.ModuleHandle);
                Plugins[plugin.Metadata.GUID] = plugin;
                plugin.Instance = LoadPlugin(plugin, assembly);
            }
            catch (Exception e)
            {
                Plugins.Remove(plugin.Metadata.GUID);
                s_log.LogError($"Error loading [{plugin.Metadata.Name} {plugin.Metadata.Version}]: {e}");
            }
        }
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
        public static new UnityChainloader Instance { get; set; } = new();

        public override BaseUnityPlugin LoadPlugin(PluginInfo pluginInfo, Assembly pluginAssembly)
        {
            var plugin = (BaseUnityPlugin)Activator.CreateInstance(pluginAssembly.GetType(pluginInfo.TypeName)!)!;
            LoaderStandIns.BepInEx6Game.Add(plugin);
            return plugin;
        }
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
        public static new IL2CPPChainloader Instance { get; set; } = new();

        public override BasePlugin LoadPlugin(PluginInfo pluginInfo, Assembly pluginAssembly)
        {
            var plugin = (BasePlugin)Activator.CreateInstance(pluginAssembly.GetType(pluginInfo.TypeName)!)!;
            plugin.Load();
            return plugin;
        }
    }
}
