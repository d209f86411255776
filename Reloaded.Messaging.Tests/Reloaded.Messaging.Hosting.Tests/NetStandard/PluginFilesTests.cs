using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The assemblies that a plugin ships, by their metadata.</summary>
public sealed class PluginFilesTests
{
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
}
