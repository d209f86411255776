using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using Mono.Cecil;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>A second version of the library in this process, as a mod of last year ships it: the net8.0 build, with another assembly version.</summary>
/// <remarks>The test assembly is also loaded a second time, and then refers to that version. Its methods are called with types of the framework. Dispose it to unload both.</remarks>
public sealed class LibraryVersion : AssemblyLoadContext, IDisposable
{
    /// <summary>The version of the three assemblies.</summary>
    public static readonly Version Number = new(2, 999, 0, 0);

    private static readonly string s_folder = (string)AppContext.GetData("OtherVersion")!;
    private static readonly string[] s_library = ["Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting"];

    private static readonly ConcurrentDictionary<string, byte[]> s_rewritten = new(StringComparer.Ordinal);

    private readonly Dictionary<string, Assembly> _loaded = [];

    public LibraryVersion()
        : base("a version of last year", isCollectible: true)
    {
    }

    /// <summary>Returns a static method of the copy of a type of this assembly.</summary>
    /// <param name="method">The method. Its parameters and its result are of types of the framework.</param>
    public TDelegate Get<TDelegate>(TDelegate method)
        where TDelegate : Delegate
    {
        var type = method.Method.DeclaringType!;
        return UnloadedContext.Find<TDelegate>(LoadOnce(type.Assembly.Location), type, method.Method.Name);
    }

    public void Dispose() => Unload();

    protected override Assembly? Load(AssemblyName assemblyName) =>
        s_library.Contains(assemblyName.Name) ? LoadOnce(Path.Combine(s_folder, $"{assemblyName.Name}.dll")) : null;

    private Assembly LoadOnce(string path)
    {
        lock (_loaded)
        {
            if (!_loaded.TryGetValue(path, out var assembly))
                _loaded.Add(path, assembly = LoadFromStream(new MemoryStream(s_rewritten.GetOrAdd(path, Rewrite))));
            return assembly;
        }
    }

    private static byte[] Rewrite(string path)
    {
        using var assembly = RewrittenAssembly.Read(path);
        foreach (var name in assembly.MainModule.AssemblyReferences.Prepend(assembly.Name).Where(static name => s_library.Contains(name.Name)))
            name.Version = Number;
        var rewritten = new MemoryStream();
        assembly.Write(rewritten);
        return rewritten.ToArray();
    }
}
