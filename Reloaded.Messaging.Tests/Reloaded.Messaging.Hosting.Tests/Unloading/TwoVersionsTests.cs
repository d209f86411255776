using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.Support;
using Xunit;
using Serve = System.Func<string, string?, System.Threading.Tasks.Task<(System.IAsyncDisposable Server, string Endpoint)>>;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>Two versions of the library in one process: what docs/internals/ambient.md says of their names, and of the parts that each has for itself.</summary>
public sealed class TwoVersionsTests(LibraryVersion other) : IClassFixture<LibraryVersion>
{
    private const string HostCount = "reloaded.messaging.host.peers";

    private static int s_names;

    private readonly string _name = $"versions-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    public static TheoryData<string> Transports => new("tcp", "unix", "pipe", "local", "shm", "process");

    [Fact]
    public void Other_version_has_its_number()
    {
        Assert.Equal(LibraryVersion.Number, Other(VersionWork.GetVersion)());
        Assert.NotEqual(LibraryVersion.Number, VersionWork.GetVersion());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Servers_of_each_version_reply_to_clients_of_each(string transport)
    {
        var (server, endpoint) = await VersionWork.ServeAsync(EndpointOf(transport, "one"), null);
        await using var one = server;
        var (otherServer, otherEndpoint) = await Other(VersionWork.ServeAsync)(EndpointOf(transport, "other"), null);
        await using var other = otherServer;

        var ask = VersionWork.AskAsync;
        var askByOther = Other(ask);
        var answers = await Task.WhenAll(ask(endpoint), ask(otherEndpoint), askByOther(endpoint), askByOther(otherEndpoint)).InTime();

        Assert.Equal([VersionWork.GetVersion(), LibraryVersion.Number, VersionWork.GetVersion(), LibraryVersion.Number], answers);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Name_of_a_server_is_refused_to_the_other_version_and_stays_in_use(string transport)
    {
        await RefuseAsync(VersionWork.ServeAsync, Other(VersionWork.ServeAsync), VersionWork.GetVersion());
        await RefuseAsync(Other(VersionWork.ServeAsync), VersionWork.ServeAsync, LibraryVersion.Number);

        async Task RefuseAsync(Serve serve, Serve serveByOther, Version version)
        {
            var (server, endpoint) = await serve(EndpointOf(transport, "one"), null);
            await using var running = server;

            await Assert.ThrowsAsync<InvalidOperationException>(() => serveByOther(endpoint, null));

            Assert.Equal([version, version], await Task.WhenAll(VersionWork.AskAsync(endpoint), Other(VersionWork.AskAsync)(endpoint)).InTime());
        }
    }

    [Fact]
    public async Task Published_servers_of_each_version_are_found_by_each_until_they_end()
    {
        var (one, two) = (_name + "-one", _name + "-two");
        var (server, _) = await VersionWork.ServeAsync("tcp://127.0.0.1:0", one);
        var (otherServer, _) = await Other(VersionWork.ServeAsync)($"shm:{_name}", two);
        await using var other = otherServer;
        Assert.Equal([EndpointOf("process", one), EndpointOf("process", two), EndpointOf("process", one), EndpointOf("process", two)], FindByEach(one, two));
        Assert.Equal(LibraryVersion.Number, await VersionWork.AskAsync(EndpointOf("process", two)).InTime());
        Assert.Equal(VersionWork.GetVersion(), await Other(VersionWork.AskAsync)(EndpointOf("process", one)).InTime());

        await server.DisposeAsync();
        var (next, _) = await VersionWork.ServeAsync("tcp://127.0.0.1:0", one); // removes the files of servers that have ended
        await next.DisposeAsync();

        Assert.Equal([EndpointOf("process", two), EndpointOf("process", two)], FindByEach(one, two));
        Assert.Equal(LibraryVersion.Number, await VersionWork.AskAsync(EndpointOf("process", two)).InTime());
    }

    [Fact]
    public async Task Parts_that_are_separate_are_those_of_the_page()
    {
        var parts = new Dictionary<string, Func<Task>>
        {
            ["types"] = CompareTypesAsync,
            ["in-process endpoints"] = ListenInProcessAsync,
            ["buffers"] = CountBuffersAsync,
            ["meters"] = ListenToMetersAsync,
            ["timer"] = WatchTimersAsync,
            ["received files"] = ClaimPathsAsync,
        };

        var rows = File.ReadLines(Page.PathOf("ambient.md")).SkipWhile(static line => line != "| separate part | consequence |").Skip(2).TakeWhile(static line => line.StartsWith('|'));

        Assert.Equal(parts.Keys, rows.Select(static row => row.Split('|')[1].Trim()));
        foreach (var check in parts.Values)
            await check();
    }

    private async Task CompareTypesAsync()
    {
        var (server, _) = await Other(VersionWork.ServeAsync)($"in-process:{_name}", null);
        await using var running = server;
        Assert.Equal(typeof(MessageServer).FullName, server.GetType().FullName);
        Assert.IsNotType<MessageServer>(server);
    }

    private async Task ListenInProcessAsync()
    {
        var (server, endpoint) = await Other(VersionWork.ServeAsync)($"in-process:{_name}", null);
        await using var other = server;
        await Assert.ThrowsAsync<TransportClosedException>(() => VersionWork.AskAsync(endpoint));

        var (own, _) = await VersionWork.ServeAsync(endpoint, null);
        await using var one = own;

        Assert.Equal(VersionWork.GetVersion(), await VersionWork.AskAsync(endpoint).InTime());
        Assert.Equal(LibraryVersion.Number, await Other(VersionWork.AskAsync)(endpoint).InTime());
    }

    private static Task CountBuffersAsync()
    {
        using var fresh = new LibraryVersion();
        var countOfOther = fresh.Get(VersionWork.CountPacked);
        Assert.Equal(0, VersionWork.CountWhilePacked(countOfOther));
        Assert.Equal(1, fresh.Get(VersionWork.CountWhilePacked)(countOfOther));
        return Task.CompletedTask;
    }

    private async Task ListenToMetersAsync()
    {
        using var fresh = new LibraryVersion();
        await HostAsync(VersionWork.ServeAsync);
        var meters = new HashSet<Meter>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            lock (meters)
            {
                if (instrument.Name == HostCount)
                    meters.Add(instrument.Meter);
            }
        };
        listener.Start();
        var before = meters.ToHashSet();

        await HostAsync(fresh.Get(VersionWork.ServeAsync));

        Assert.NotEmpty(before);
        Assert.Equal(["Reloaded.Messaging"], meters.Except(before).Where(static meter => meter.Version == LibraryVersion.Number.ToString(3)).Select(static meter => meter.Name)); // other tests load the present version again

        async Task HostAsync(Serve serve) =>
            await (await serve($"in-process:{_name}-meters", null)).Server.DisposeAsync();
    }

    private async Task WatchTimersAsync()
    {
        using var fresh = new LibraryVersion();
        var isOtherRunning = fresh.Get(VersionWork.IsTimerRunning);
        await using (var own = (await VersionWork.ServeAsync($"in-process:{_name}-timer", null)).Server)
        {
            Assert.True(VersionWork.IsTimerRunning());
            Assert.False(isOtherRunning());
        }

        await using var other = (await fresh.Get(VersionWork.ServeAsync)($"in-process:{_name}-timer", null)).Server;
        Assert.True(isOtherRunning());
    }

    private async Task ClaimPathsAsync()
    {
        var path = Path.Combine(Path.GetTempPath(), _name);
        var claim = await VersionWork.ClaimPathAsync(path).InTime();
        var waiting = VersionWork.ClaimPathAsync(path);
        using (await Other(VersionWork.ClaimPathAsync)(path).InTime())
            Assert.False(waiting.IsCompleted);

        claim.Dispose();
        (await waiting.InTime()).Dispose();
    }

    private TDelegate Other<TDelegate>(TDelegate method)
        where TDelegate : Delegate => other.Get(method);

    private IEnumerable<string> FindByEach(params string[] names) =>
        new[] { VersionWork.FindServers, Other(VersionWork.FindServers) }.SelectMany(find => names.SelectMany(name => find(name)));

    private string EndpointOf(string transport, string name) => transport switch
    {
        "tcp" => "tcp://127.0.0.1:0",
        "unix" => $"unix:{Path.Combine(Path.GetTempPath(), $"{_name}-{name}")}",
        "process" => $"process://{Environment.ProcessId}/{(name.StartsWith(_name, StringComparison.Ordinal) ? name : $"{_name}-{name}")}",
        _ => $"{transport}:{_name}-{name}",
    };
}
