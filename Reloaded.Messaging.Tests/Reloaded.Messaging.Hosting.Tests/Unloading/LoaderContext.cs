using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using Mono.Cecil;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>The one context of a loader for all mods of a game, with files of the netstandard2.1 build of the library in the folders of the mods.</summary>
/// <remarks>
/// The rules were read in the sources of the loaders. All load an assembly of a simple name once. BepInEx finds it by its simple name in the folders of all
/// plugins, in their order. MelonLoader finds it in one folder, to which the files of all mods are copied. SMAPI loads the files of a mod when it loads the mod,
/// and skips those whose simple name is loaded. The calls of a mod are made by reflection.
/// </remarks>
/// <param name="rules">BepInEx, MelonLoader or SMAPI.</param>
public sealed class LoaderContext(string rules) : AssemblyLoadContext(isCollectible: true), IDisposable
{
    private static readonly string s_build = Path.Combine((string)AppContext.GetData("OtherVersion")!, "..", "netstandard2.1");

    private readonly string _folder = Directory.CreateTempSubdirectory("mods-").FullName;
    private readonly List<string> _mods = [];

    /// <summary>The version of the hosts that the mods get.</summary>
    public string Version => Find("Reloaded.Messaging.Hosting")!.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;

    /// <summary>Adds a mod.</summary>
    /// <param name="mod">The name of its folder.</param>
    /// <param name="version">The informational version of its files of the library.</param>
    /// <param name="files">The files of the library that it ships.</param>
    public void Add(string mod, string version, params string[] files)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, rules == "MelonLoader" ? "UserLibs" : mod)).FullName;
        foreach (var file in files)
        {
            using var assembly = RewrittenAssembly.Read(Path.Combine(s_build, $"{file}.dll"));
            var number = assembly.CustomAttributes.Single(static attribute => attribute.AttributeType.Name == nameof(AssemblyInformationalVersionAttribute));
            number.ConstructorArguments[0] = new CustomAttributeArgument(number.ConstructorArguments[0].Type, version);
            assembly.Write(Path.Combine(folder, $"{file}.dll"));
        }

        if (!_mods.Contains(folder))
            _mods.Add(folder);
        if (rules == "SMAPI")
            LoadFiles(folder);
    }

    /// <summary>Starts a server in a mod.</summary>
    /// <returns>The server, and its endpoint.</returns>
    public async Task<(IAsyncDisposable Server, string Endpoint)> ListenAsync()
    {
        var server = await CallAsync("ListenAsync", "tcp://127.0.0.1:0");
        return (server, server.GetType().GetProperty("Endpoint")!.GetValue(server)!.ToString()!);
    }

    /// <summary>Connects a mod to a server, and disconnects it.</summary>
    public async Task ConnectAsync(string endpoint) => await (await CallAsync("ConnectAsync", endpoint)).DisposeAsync();

    public void Dispose()
    {
        Unload();
        Directory.Delete(_folder, recursive: true);
    }

    protected override Assembly? Load(AssemblyName assemblyName) =>
        Find(assemblyName.Name!) ?? (_mods.Select(folder => Path.Combine(folder, $"{assemblyName.Name}.dll")).FirstOrDefault(File.Exists) is { } file ? LoadFromAssemblyPath(file) : null);

    private void LoadFiles(string folder)
    {
        foreach (var file in Directory.GetFiles(folder).Where(file => Find(Path.GetFileNameWithoutExtension(file)) is null))
            LoadFromAssemblyPath(file);
    }

    private Assembly? Find(string name) => Assemblies.FirstOrDefault(assembly => assembly.GetName().Name == name);

    private async Task<IAsyncDisposable> CallAsync(string name, string endpoint)
    {
        const BindingFlags Flags = BindingFlags.Public | BindingFlags.Static | BindingFlags.DoNotWrapExceptions;
        var parse = LoadFromAssemblyName(new AssemblyName("Reloaded.Messaging.Transports")).GetType("Reloaded.Messaging.MessageEndpoint")!.GetMethod("Parse", Flags)!;
        var method = LoadFromAssemblyName(new AssemblyName("Reloaded.Messaging.Hosting")).GetType("Reloaded.Messaging.Hosting.MessageHost")!.GetMethod(name, Flags)!;
        var arguments = method.GetParameters().Select(static parameter => parameter.DefaultValue is DBNull ? null : parameter.DefaultValue).ToArray();
        arguments[0] = parse.Invoke(null, Flags, null, [endpoint, null], null);
        var task = (Task)method.Invoke(null, Flags, null, arguments, null)!;
        await task;
        return (IAsyncDisposable)task.GetType().GetProperty("Result")!.GetValue(task)!;
    }
}
