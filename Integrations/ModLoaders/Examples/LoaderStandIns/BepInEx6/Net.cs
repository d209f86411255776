using System;
using System.Collections.Generic;
using System.Reflection;
using BepInEx.Logging;
using HarmonyLib;

namespace BepInEx.NET.Common
{
    /// <summary>The base class of plugins in games of .NET.</summary>
    public abstract class BasePlugin
    {
        protected BasePlugin() => (HarmonyInstance, Log) = (new Harmony(GetType().FullName!), new ManualLogSource(GetType().Name));

        public ManualLogSource Log { get; }

        public Harmony HarmonyInstance { get; set; }

        /// <summary>Called before the entry point of the game, on its main thread.</summary>
        public abstract void Load();

        /// <summary>Not called when the game ends.</summary>
        public virtual bool Unload() => false;
    }

    /// <summary>The loader of plugins in games of .NET.</summary>
    public class NetChainloader : BepInEx.Bootstrap.BaseChainloader<BasePlugin>
    {
        public NetChainloader() => Instance = this;

        public override BasePlugin LoadPlugin(PluginInfo pluginInfo, Assembly pluginAssembly)
        {
            var plugin = (BasePlugin)Activator.CreateInstance(pluginAssembly.GetType(pluginInfo.TypeName)!)!;
            plugin.Load();
            return plugin;
        }
    }
}

namespace HarmonyLib
{
    /// <summary>Changes methods of the game. Here, it only records the methods to call after them.</summary>
    public class Harmony(string id)
    {
        internal static List<(MethodBase Original, MethodInfo Postfix)> Patches { get; } = [];

        public string Id => id;

        public MethodInfo Patch(MethodBase original, HarmonyMethod? prefix = null, HarmonyMethod? postfix = null)
        {
            var method = postfix?.method ?? throw new ArgumentNullException(nameof(postfix));
            Patches.Add((original, method));
            return method;
        }
    }

    /// <summary>A method of a patch.</summary>
    public class HarmonyMethod(Type methodType, string methodName)
    {
        public MethodInfo method = AccessTools.Find(methodType, methodName);
    }

    /// <summary>Finds members of any visibility.</summary>
    public static class AccessTools
    {
        /// <summary>Returns a method by "Namespace.Type:Method".</summary>
        public static MethodInfo Method(string typeColonMethodname)
        {
            var parts = typeColonMethodname.Split(':');
            foreach (var assembly in AppDomain.CurrentDomain.GetAssemblies())
            {
                if (assembly.GetType(parts[0]) is { } type)
                    return Find(type, parts[1]);
            }

            throw new ArgumentException($"No assembly has the type {parts[0]}.", nameof(typeColonMethodname));
        }

        internal static MethodInfo Find(Type type, string name) =>
            type.GetMethod(name, BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic) ?? throw new MissingMethodException(type.FullName, name);
    }
}
