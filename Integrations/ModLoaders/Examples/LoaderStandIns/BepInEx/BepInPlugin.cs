using System;

namespace BepInEx;

/// <summary>Marks the class of a plugin.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class BepInPlugin(string guid, string name, string version) : Attribute
{
    public string GUID { get; } = guid;

    public string Name { get; } = name;

    public Version Version { get; } = new(version);
}
