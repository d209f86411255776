using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Text.Json;
using Reloaded.Messaging;

namespace ModLoader;

/// <summary>The configuration of a mod, and the name of its file.</summary>
public sealed record ModFile(string Name, PooledModConfig Config)
{
    private static readonly MessageWriter s_writer = new();
    private static readonly MessageContract<ModConfig> s_json = new(10, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));

    /// <summary>The folder with the samples of this example.</summary>
    public static string Samples { get; } = Path.Combine(AppContext.BaseDirectory, "Samples");

    /// <summary>Reads every configuration in a folder and its subfolders. Reports one line for each file that is not a configuration or does not fit into a message.</summary>
    public static List<ModFile> ReadAll(string folder, Action<string> say)
    {
        var mods = new List<ModFile>();
        foreach (var file in ModFolder.Find(folder, say))
        {
            var name = Path.GetRelativePath(folder, file);
            try
            {
                var config = Read(file);
                CheckCanBeSent(config);
                mods.Add(new ModFile(name, config));
            }
            catch (Exception e) when (e is JsonException or IOException or UnauthorizedAccessException or InvalidOperationException)
            {
                say($"Skipped {name}: {e.Message.ReplaceLineEndings("")}");
            }
        }

        return mods;
    }

    private static PooledModConfig Read(string file)
    {
        // A FIFO has no length, and opening it would wait for another process.
        var target = File.ResolveLinkTarget(file, returnFinalTarget: true) ?? new FileInfo(file);
        if (target is FileInfo { Length: 0 })
            throw new IOException("The file is empty, or it is not a regular file.");

        var text = File.ReadAllBytes(file).AsSpan();
        if (text.StartsWith(Encoding.UTF8.Preamble))
            text = text.Slice(Encoding.UTF8.Preamble.Length);
        var config = JsonSerializer.Deserialize(text, ModConfigContext.Default.PooledModConfig);
        return string.IsNullOrEmpty(config?.ModId) ? throw new JsonException("It has no ModId.") : config;
    }

    /// <exception cref="InvalidOperationException">Thrown when the configuration is too large for a message, has an item that is null, or has text that is not valid Unicode.</exception>
    private static void CheckCanBeSent(ModConfig config)
    {
        s_writer.Pack(MessageContract.GetDeclared<ModConfig>(), config).Dispose();
        s_writer.Pack(s_json, config).Dispose();
    }
}
