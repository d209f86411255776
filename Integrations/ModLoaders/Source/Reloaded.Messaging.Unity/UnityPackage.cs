using System;
using System.IO;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging.Unity;

/// <summary>Writes the package for Unity: its files, and a <c>.meta</c> file for each. Unity ignores a file of an installed package that has none.</summary>
public static class UnityPackage
{
    /// <summary>The name of the package, and of its folder.</summary>
    public const string Name = "com.reloaded.messaging";

    private const string Generator = "Reloaded.Messaging.Generators.dll";

    /// <summary>Writes the package, and replaces an earlier one.</summary>
    /// <param name="folder">The folder that will contain the folder of the package.</param>
    /// <returns>The folder of the package.</returns>
    public static string Write(string folder)
    {
        var package = Path.Combine(folder, Name);
        if (Directory.Exists(package))
            Directory.Delete(package, recursive: true);
        var source = Path.Combine(AppContext.BaseDirectory, "Package");
        foreach (var file in Directory.GetFiles(source, "*", SearchOption.AllDirectories))
        {
            var copy = Path.Combine(package, Path.GetRelativePath(source, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }

        var manifest = Path.Combine(package, "package.json");
        File.WriteAllText(manifest, File.ReadAllText(manifest).Replace("$version$", Version, StringComparison.Ordinal));
        foreach (var asset in Directory.GetFileSystemEntries(package, "*", SearchOption.AllDirectories))
        {
            if (!asset.EndsWith('~')) // Unity hides the folder. The Package Manager copies the samples inside with their .meta files.
                File.WriteAllText(asset + ".meta", MetaOf(asset, Path.GetRelativePath(package, asset).Replace('\\', '/')));
        }

        return package;
    }

    private static string Version =>
        typeof(UnityPackage).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    // A project refers to an asset by its GUID. The GUID depends on the path alone, so it is the same in every version of the package.
    private static string MetaOf(string asset, string path) => $"""
        fileFormatVersion: 2
        guid: {Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{Name}/{path}")).AsSpan(0, 16))}
        {ImporterOf(asset)}
          userData:
          assetBundleName:
          assetBundleVariant:

        """.ReplaceLineEndings("\n");

    private static string ImporterOf(string asset) => Path.GetExtension(asset) switch
    {
        _ when Directory.Exists(asset) => """
            folderAsset: yes
            DefaultImporter:
              externalObjects: {}
            """,
        _ when Path.GetFileName(asset) == Generator => $"""
            labels:
            - RoslynAnalyzer
            {Plugin(isEnabled: false)}
            """,
        _ when Path.GetFileName(asset) == "package.json" => """
            PackageManifestImporter:
              externalObjects: {}
            """,
        ".dll" => Plugin(isEnabled: true),
        ".asmdef" => """
            AssemblyDefinitionImporter:
              externalObjects: {}
            """,
        ".cs" => """
            MonoImporter:
              externalObjects: {}
              serializedVersion: 2
              defaultReferences: []
              executionOrder: 0
              icon: {instanceID: 0}
            """,
        _ => """
            TextScriptImporter:
              externalObjects: {}
            """,
    };

    // An analyzer is enabled for no platform: the compiler loads it, and neither the editor nor a player does. Its references are those of the compiler.
    private static string Plugin(bool isEnabled) => $$"""
        PluginImporter:
          externalObjects: {}
          serializedVersion: 2
          iconMap: {}
          executionOrder: {}
          defineConstraints: []
          isPreloaded: 0
          isOverridable: 0
          isExplicitlyReferenced: 0
          validateReferences: {{(isEnabled ? 1 : 0)}}
          platformData:
          - first:
              Any:
            second:
              enabled: {{(isEnabled ? 1 : 0)}}
              settings: {}
          - first:
              Editor: Editor
            second:
              enabled: {{(isEnabled ? 1 : 0)}}
              settings:
                DefaultValueInitialized: true
        """;
}
