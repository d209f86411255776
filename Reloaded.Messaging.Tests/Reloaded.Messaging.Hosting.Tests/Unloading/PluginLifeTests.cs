using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>Lives of a plugin: each is loaded, runs a server, a client, a service, a stream and a tap, and is unloaded. Nothing of them is left.</summary>
[Quiet]
public sealed class PluginLifeTests
{
    private static readonly int s_lives = Extent.Of(1, 1, 1, 10);

    [Theory]
    [InlineData("in-process")]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("pipe")]
    [InlineData("shm")]
    public async Task Plugin_leaves_no_context_thread_descriptor_or_file(string transport)
    {
        foreach (var ownCopy in (bool[])[false, true])
            Assert.True(await UnloadedContext.IsCollectedAsync(await LiveAsync(transport, ownCopy))); // the first life loads what stays: code, sockets of the framework
        var (descriptors, files) = (Descriptors(), Files());

        var contexts = new List<WeakReference>();
        for (var life = 0; life < s_lives; life++)
        {
            foreach (var ownCopy in (bool[])[false, true])
                contexts.Add(await LiveAsync(transport, ownCopy));
        }

        foreach (var context in contexts)
            Assert.True(await UnloadedContext.IsCollectedAsync(context));
        await Signal.UntilAsync(static () => HostTimer.Shared.Thread is null && !Threads().Any());
        await Signal.UntilAsync(() => Descriptors() <= descriptors);
        Assert.Equal(files, Files());
    }

    /// <summary>One life, from the load to the unload.</summary>
    /// <returns>The unloaded context.</returns>
    private static Task<WeakReference> LiveAsync(string transport, bool ownCopy) => Deadline.RunAside(() => Live(transport, ownCopy));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Live(string transport, bool ownCopy)
    {
        var name = $"life-{Environment.ProcessId}"; // the same in each life: a server at a Unix socket leaves its lock file for the next one
        var context = ownCopy ? new ContextWithLibrary() : new AssemblyLoadContext("a plugin", isCollectible: true);
        var run = UnloadedContext.LoadAgain<Func<string, Task<string>>>(context, typeof(PluginLife), nameof(PluginLife.RunAsync));

        Assert.Equal("7 210 True", run(transport switch
        {
            "tcp" => "tcp://127.0.0.1:0",
            "unix" => $"unix:{Path.Combine(Path.GetTempPath(), name)}",
            _ => $"{transport}:{name}",
        }).InTime().GetAwaiter().GetResult());
        context.Unload();
        return new WeakReference(context, trackResurrection: true);
    }

    /// <summary>The names of the threads that wait for shared memory. A thread of a library that was unloaded would keep its context.</summary>
    private static IEnumerable<string> Threads() =>
        Read("task", static task => File.ReadAllText(Path.Combine(task, "comm"))).Where(static name => name.StartsWith("Shared memory", StringComparison.Ordinal));

    /// <summary>The number of open sockets, pipes and files. Assemblies of the framework stay open from their first use.</summary>
    private static int Descriptors() =>
        Read("fd", static path => File.ResolveLinkTarget(path, returnFinalTarget: false)!.FullName).Count(static target => !target.EndsWith(".dll", StringComparison.Ordinal));

    /// <summary>Reads the entries of a folder of this process. An entry may end meanwhile.</summary>
    private static IEnumerable<string> Read(string folder, Func<string, string> read)
    {
        foreach (var entry in OperatingSystem.IsLinux() ? Directory.GetFileSystemEntries(Path.Combine("/proc/self", folder)) : [])
        {
            string value;
            try
            {
                value = read(entry);
            }
            catch (IOException)
            {
                continue;
            }

            yield return value;
        }
    }

    private static string[] Files() =>
    [
        .. new[] { Path.GetTempPath(), "/dev/shm/reloaded-messaging-" + Environment.UserName }.Where(Directory.Exists)
            .SelectMany(static folder => Directory.GetFileSystemEntries(folder)).Where(static path => Path.GetFileName(path).StartsWith("life-", StringComparison.Ordinal)).Order(),
    ];

    /// <summary>A context with a second copy of the library, for its plugin alone.</summary>
    private sealed class ContextWithLibrary() : AssemblyLoadContext("a plugin with its own copy of the library", isCollectible: true)
    {
        protected override Assembly? Load(AssemblyName assemblyName)
        {
            var path = Path.Combine(AppContext.BaseDirectory, $"{assemblyName.Name}.dll");
            return assemblyName.Name!.StartsWith("Reloaded.Messaging", StringComparison.Ordinal) && File.Exists(path) ? LoadFromAssemblyPath(path) : null;
        }
    }
}
