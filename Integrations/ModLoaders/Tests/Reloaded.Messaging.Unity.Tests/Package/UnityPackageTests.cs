using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Tests.Compiler;
using Reloaded.Messaging.Unity;
using Xunit;

namespace Reloaded.Messaging.Tests.Package;

/// <summary>The files of the package for Unity. docs/unity.md gives the source of each rule of Unity.</summary>
public sealed partial class UnityPackageTests : IDisposable
{
    private static readonly string s_package = UnityCompiler.Package;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("unity-package");

    [Fact]
    public void Package_has_these_files() => Assert.Equal(
        [
            "LICENSE.md",
            "README.md",
            "Runtime/IsExternalInit.cs",
            "Runtime/Reloaded.Messaging.Generators.dll",
            "Runtime/Reloaded.Messaging.Hosting.dll",
            "Runtime/Reloaded.Messaging.Hosting.xml",
            "Runtime/Reloaded.Messaging.Transports.dll",
            "Runtime/Reloaded.Messaging.Transports.xml",
            "Runtime/Reloaded.Messaging.Unity.asmdef",
            "Runtime/Reloaded.Messaging.dll",
            "Runtime/Reloaded.Messaging.xml",
            "Samples~/FirstMessage/Contracts/FirstMessage.Contracts.asmdef",
            "Samples~/FirstMessage/Contracts/Messages.cs",
            "Samples~/FirstMessage/GameServer.cs",
            "Samples~/FirstMessage/link.xml",
            "package.json",
        ],
        Assets(s_package).Where(static path => File.Exists(Path.Combine(s_package, path))).Order(StringComparer.Ordinal));

    [Fact]
    public void Each_asset_has_a_meta_file_with_its_own_guid()
    {
        var assets = Assets(s_package).Where(static path => !path.EndsWith('~')).Order(StringComparer.Ordinal).ToList();
        var metas = Directory.GetFiles(s_package, "*.meta", SearchOption.AllDirectories).Select(static file => RelativePath(s_package, file)[..^".meta".Length]).Order(StringComparer.Ordinal);

        Assert.Equal(assets, metas);
        Assert.Equal(assets.Count, assets.Select(path => GuidOf(s_package, path)).Distinct(StringComparer.Ordinal).Count());
    }

    [Fact]
    public void Written_again_the_package_has_the_same_bytes()
    {
        File.WriteAllText(Path.Combine(UnityPackage.Write(_folder.FullName), "Runtime", "File of an earlier version.dll"), "");

        Assert.Equal(Contents(s_package), Contents(UnityPackage.Write(_folder.FullName)));
    }

    // A project that has imported the sample refers to these GUIDs.
    [Theory]
    [InlineData("Runtime/Reloaded.Messaging.Unity.asmdef", "2da38d53a7bf632d9cceecffcbc73855")]
    [InlineData("Runtime/Reloaded.Messaging.Hosting.dll", "570c7dbb77d507798cf84ac323df9a94")]
    [InlineData("Samples~/FirstMessage/GameServer.cs", "0835f20dcf4fce404f045d9af4ce7522")]
    public void Guid_is_that_of_earlier_versions(string path, string expected) => Assert.Equal(expected, GuidOf(s_package, path));

    [Fact]
    public void Manifest_has_what_the_package_manager_requires()
    {
        var manifest = Json("package.json");
        var version = typeof(PackedMessage).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

        Assert.Equal(UnityPackage.Name, manifest.GetProperty("name").GetString());
        Assert.Matches("^[a-z0-9._-]{1,50}$", UnityPackage.Name);
        Assert.Equal(version, manifest.GetProperty("version").GetString());
        Assert.Equal("2022.3 12f1", $"{manifest.GetProperty("unity").GetString()} {manifest.GetProperty("unityRelease").GetString()}");
        Assert.All(manifest.GetProperty("samples").EnumerateArray(), static sample => Assert.True(Directory.Exists(Path.Combine(s_package, sample.GetProperty("path").GetString()!))));
    }

    [Fact]
    public void Assembly_definitions_refer_to_each_other_by_name()
    {
        var definitions = Assets(s_package).Where(static path => path.EndsWith(".asmdef", StringComparison.Ordinal)).ToDictionary(static path => Path.GetFileNameWithoutExtension(path), Json);
        string[] known = ["name", "references", "noEngineReferences"];

        Assert.Equal(2, definitions.Count);
        Assert.All(definitions, one =>
        {
            Assert.Equal(one.Key, one.Value.GetProperty("name").GetString());
            Assert.All(one.Value.EnumerateObject(), property => Assert.Contains(property.Name, known));
            if (one.Value.TryGetProperty("references", out var references))
                Assert.All(references.EnumerateArray(), reference => Assert.Contains(reference.GetString()!, definitions.Keys));
        });
    }

    [Fact]
    public void Generator_alone_is_an_analyzer_and_is_in_the_folder_of_an_assembly_definition()
    {
        var analyzers = Assets(s_package).Where(static path => MetaOf(s_package, path).Contains("\nlabels:\n- RoslynAnalyzer\n", StringComparison.Ordinal));

        Assert.Equal("Runtime/Reloaded.Messaging.Generators.dll", Assert.Single(analyzers));
        Assert.DoesNotContain("enabled: 1", MetaOf(s_package, "Runtime/Reloaded.Messaging.Generators.dll"), StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(s_package, "Runtime", "Reloaded.Messaging.Unity.asmdef")));
        Assert.All(UnityCompiler.Assemblies, static file => Assert.DoesNotContain("enabled: 0", MetaOf(s_package, "Runtime/" + Path.GetFileName(file)), StringComparison.Ordinal));
    }

    [Fact]
    public void Linker_keeps_assemblies_that_exist()
    {
        var kept = XDocument.Load(Path.Combine(s_package, "Samples~", "FirstMessage", "link.xml")).Root!.Elements("assembly").Select(static one => one.Attribute("fullname")!.Value);

        Assert.Equal(UnityCompiler.Assemblies.Select(Path.GetFileNameWithoutExtension).Append("FirstMessage.Contracts").Order(StringComparer.Ordinal), kept.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Compiler_of_unity_loads_the_generator_and_the_analyzers()
    {
        var generator = UnityCompiler.Load(Path.Combine(s_package, "Runtime", "Reloaded.Messaging.Generators.dll"));

        Assert.Single(generator.GetGenerators(LanguageNames.CSharp));
        Assert.InRange(generator.GetAnalyzers(LanguageNames.CSharp).Length, 10, 30);
    }

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>The paths of all files and folders, without the <c>.meta</c> files.</summary>
    private static IEnumerable<string> Assets(string package) => Directory.GetFileSystemEntries(package, "*", SearchOption.AllDirectories)
        .Select(entry => RelativePath(package, entry)).Where(static path => !path.EndsWith(".meta", StringComparison.Ordinal));

    private static string RelativePath(string package, string entry) => Path.GetRelativePath(package, entry).Replace('\\', '/');

    private static string MetaOf(string package, string path) => path.EndsWith('~') ? "" : File.ReadAllText(Path.Combine(package, path + ".meta"));

    private static string GuidOf(string package, string path) => GuidLine().Match(MetaOf(package, path)).Groups[1].Value;

    private static Dictionary<string, string> Contents(string package) =>
        Directory.GetFiles(package, "*", SearchOption.AllDirectories).ToDictionary(file => RelativePath(package, file), static file => Convert.ToBase64String(File.ReadAllBytes(file)));

    private static JsonElement Json(string path) => JsonDocument.Parse(File.ReadAllText(Path.Combine(s_package, path))).RootElement;

    [GeneratedRegex("^guid: ([0-9a-f]{32})$", RegexOptions.Multiline)]
    private static partial Regex GuidLine();
}
