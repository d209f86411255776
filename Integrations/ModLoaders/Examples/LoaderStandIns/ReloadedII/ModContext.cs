using System;
using System.Reflection;
using System.Runtime.Loader;
using Reloaded.Mod.Interfaces;

namespace LoaderStandIns;

/// <summary>The assemblies of one mod: those in its folder, except for the interfaces that it shares with the loader.</summary>
internal sealed class ModContext(string path, bool isCollectible) : AssemblyLoadContext(path, isCollectible)
{
    private readonly AssemblyDependencyResolver _resolver = new(path);

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (assemblyName.Name == typeof(IMod).Assembly.GetName().Name)
            return typeof(IMod).Assembly;
        return _resolver.ResolveAssemblyToPath(assemblyName) is { } file ? LoadFromAssemblyPath(file) : null;
    }
}
