using System.Linq;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages.Services;

[MessageService]
public interface IModLoader
{
    Task<ModList> ListAsync(bool loadedOnly, CancellationToken token = default);
    Task SuspendAsync(string mod, Peer? caller = null);
    event Action<ModLoaded> Loaded;
}

[Message] public sealed record ModList(List<string> Ids);
[Message] public sealed record ModLoaded(string Mod);

/// <summary>What docs/services-and-streams.md shows of services, compiled and run.</summary>
public sealed class ServicesPageTests
{
    [Fact]
    public async Task A_tool_calls_the_service_of_a_game()
    {
        var (mods, name) = (new Mods(), $"services-{Environment.ProcessId}");

        // Inside the game. The object mods implements IModLoader.
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Local(name), host => host.AddService<IModLoader>(mods));

        // The tool outside.
        await using var game = await MessageHost.ConnectAsync(MessageEndpoint.Local(name));
        IModLoader loader = game.GetService<IModLoader>();
        ModList list = await loader.ListAsync(loadedOnly: true);
        loader.Loaded += loaded => Console.WriteLine(loaded.Mod);
        await loader.SuspendAsync("a");

        Assert.Equal(["a"], list.Ids);
        Assert.Contains(mods.Caller, server.Peers);
    }

    private sealed class Mods : IModLoader
    {
        public event Action<ModLoaded>? Loaded;

        public Peer? Caller { get; private set; }

        public Task<ModList> ListAsync(bool loadedOnly, CancellationToken token) => Task.FromResult(new ModList(["a"]));

        public Task SuspendAsync(string mod, Peer? caller)
        {
            Caller = caller;
            Loaded?.Invoke(new ModLoaded(mod));
            return Task.CompletedTask;
        }
    }
}
