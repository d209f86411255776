using System;
using System.IO;

namespace ModLoader.Demo;

/// <summary>A temporary folder with a typical number of mods: the samples, and copies of the samples with other ids.</summary>
public sealed class ThirtyMods : IDisposable
{
    private const int Count = 30;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("mods");

    public ThirtyMods()
    {
        var samples = ModFile.ReadAll(ModFile.Samples, Console.WriteLine);
        for (var i = 0; i < Count; i++)
        {
            var (file, config) = samples[i % samples.Count];
            var text = File.ReadAllText(Path.Combine(ModFile.Samples, file));
            if (i >= samples.Count)
                text = text.Replace($"\"ModId\": \"{config.ModId}\"", $"\"ModId\": \"{config.ModId}.{i}\"", StringComparison.Ordinal);
            File.WriteAllText(Path.Combine(_folder.FullName, $"{i:00}.json"), text);
        }
    }

    public string Folder => _folder.FullName;

    public void Dispose() => _folder.Delete(recursive: true);
}
