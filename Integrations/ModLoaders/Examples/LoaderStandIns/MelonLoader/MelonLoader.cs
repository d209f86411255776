using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;

namespace MelonLoader;

/// <summary>Names the mod of an assembly.</summary>
[AttributeUsage(AttributeTargets.Assembly, AllowMultiple = true)]
public class MelonInfoAttribute(Type type, string name, string version, string author, string? downloadLink = null) : Attribute
{
    public Type SystemType { get; } = type;

    public string Name { get; } = name;

    public string Version { get; } = version;

    public string Author { get; } = author;

    public string? DownloadLink { get; } = downloadLink;
}

/// <summary>Names a game that the mod is for. Without names, it is for all games.</summary>
[AttributeUsage(AttributeTargets.Assembly, AllowMultiple = true)]
public class MelonGameAttribute(string? developer = null, string? name = null) : Attribute
{
    public string? Developer { get; } = developer;

    public string? Name { get; } = name;
}

public static class MelonLogger
{
    /// <summary>The log of a mod.</summary>
    public class Instance(string name)
    {
        public void Error(object obj) => Console.WriteLine($"[{name}] {obj}");

        public void Error(string txt) => Console.WriteLine($"[{name}] {txt}");
    }
}

public abstract class MelonBase
{
    public MelonInfoAttribute Info { get; internal set; } = null!;

    public MelonLogger.Instance LoggerInstance { get; internal set; } = null!;

    /// <summary>Called when the mod was registered.</summary>
    public virtual void OnInitializeMelon()
    {
    }

    /// <summary>Called in each frame, on the main thread.</summary>
    public virtual void OnUpdate()
    {
    }

    /// <summary>Called before the mod is unregistered.</summary>
    public virtual void OnDeinitializeMelon()
    {
    }
}

public abstract class MelonTypeBase<T> : MelonBase
    where T : MelonTypeBase<T>
{
    internal static List<T> s_registered = [];

    public static ReadOnlyCollection<T> RegisteredMelons => s_registered.AsReadOnly();
}

public abstract class MelonMod : MelonTypeBase<MelonMod>
{
    /// <summary>Called when the game loaded a scene.</summary>
    public virtual void OnSceneWasLoaded(int buildIndex, string sceneName)
    {
    }
}
