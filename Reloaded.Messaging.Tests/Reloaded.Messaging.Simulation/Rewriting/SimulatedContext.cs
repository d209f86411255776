using System.IO;
using System.Reflection;
using System.Runtime.Loader;

namespace Reloaded.Messaging.Simulation;

/// <summary>Loads the rewritten library, and this assembly once more beside it, so that a scenario calls the rewritten library as ordinary code.</summary>
/// <param name="mutation">A change of one method of the library; <c>null</c> for none.</param>
internal sealed class SimulatedContext(Mutation? mutation) : AssemblyLoadContext("simulated")
{
    /// <summary>The folder with the library: by default, the folder of this program.</summary>
    public static string LibraryFolder { get; } = Environment.GetEnvironmentVariable("SIMULATED_LIBRARY") ?? AppContext.BaseDirectory;

    /// <summary>Loads this assembly beside the rewritten library.</summary>
    public Assembly LoadSimulation() => LoadFromAssemblyPath(typeof(SimulatedContext).Assembly.Location);

    protected override Assembly? Load(AssemblyName name)
    {
        var path = Path.Combine(LibraryFolder, name.Name + ".dll");
        if (name.Name == typeof(SimulatedContext).Assembly.GetName().Name)
            return LoadSimulation();
        if (!name.Name!.StartsWith("Reloaded.Messaging", StringComparison.Ordinal) || !File.Exists(path))
            return null;
        var (library, symbols) = LibraryRewriter.Rewrite(path, mutation);
        return LoadFromStream(library, symbols);
    }
}
