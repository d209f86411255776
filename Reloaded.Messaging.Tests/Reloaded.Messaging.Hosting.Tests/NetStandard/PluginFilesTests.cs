using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The assemblies that a plugin ships, by their metadata.</summary>
public sealed class PluginFilesTests
{
    private const long MaxCoreBytes = 120 * 1024;
    private const long MaxBytes = 780 * 1024;

    [Fact]
    public void Plugin_ships_exactly_three_assemblies_that_refer_to_netstandard_and_each_other()
    {
        var shipped = new SortedDictionary<string, string[]>(StringComparer.Ordinal);
        var open = new Queue<Assembly>([typeof(MessageHost).Assembly]);
        while (open.TryDequeue(out var assembly))
        {
            if (!shipped.TryAdd(assembly.GetName().Name!, [.. assembly.GetReferencedAssemblies().Select(static reference => reference.Name!).Order(StringComparer.Ordinal)]))
                continue;
            foreach (var reference in assembly.GetReferencedAssemblies().Where(static reference => reference.Name != "netstandard"))
                open.Enqueue(Assembly.Load(reference));
        }

        Assert.Equal(["Reloaded.Messaging", "Reloaded.Messaging.Hosting", "Reloaded.Messaging.Transports"], shipped.Keys);
        Assert.Equal(["netstandard"], shipped["Reloaded.Messaging"]);
        Assert.Equal(["Reloaded.Messaging", "netstandard"], shipped["Reloaded.Messaging.Transports"]);
        Assert.Equal(["Reloaded.Messaging", "Reloaded.Messaging.Transports", "netstandard"], shipped["Reloaded.Messaging.Hosting"]);
    }

    [Fact]
    public void Shipped_assemblies_of_release_build_are_small()
    {
        Assembly[] shipped = [typeof(MessageWriter).Assembly, typeof(MessageEndpoint).Assembly, typeof(MessageHost).Assembly];
        Assert.SkipWhen(shipped[0].GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true }, "The limits are those of the Release build. Build with -c Release.");

        var sizes = Array.ConvertAll(shipped, static assembly => new FileInfo(assembly.Location).Length);

        Assert.True(sizes[0] < MaxCoreBytes, $"The core has {sizes[0]:N0} bytes; the limit is {MaxCoreBytes:N0}.");
        Assert.True(sizes.Sum() < MaxBytes, $"Core, transports and hosts have {string.Join(" + ", sizes)} = {sizes.Sum():N0} bytes; the limit is {MaxBytes:N0}.");
    }
}
