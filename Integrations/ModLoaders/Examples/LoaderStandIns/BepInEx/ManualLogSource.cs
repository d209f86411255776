using System;

namespace BepInEx.Logging;

/// <summary>The log of a plugin.</summary>
public sealed class ManualLogSource(string sourceName)
{
    public void LogInfo(object data) => Console.WriteLine($"[Info :{sourceName}] {data}");

    public void LogError(object data) => Console.WriteLine($"[Error :{sourceName}] {data}");
}
