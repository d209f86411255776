using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Services;

public sealed class ServiceEventTests : IAsyncLifetime
{
    private static int s_names;

    private readonly Mods _mods = new();
    private MessageServer _server = null!;
    private HandlerRegistration _added = null!;
    private MessageClient _client = null!;
    private IModLoader _loader = null!;

    public async ValueTask InitializeAsync()
    {
        _server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"service-events-{Interlocked.Increment(ref s_names)}"), host => _added = host.AddService<IModLoader>(_mods));
        _client = await MessageHost.ConnectAsync(_server.Endpoint);
        _loader = _client.GetService<IModLoader>();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Event_is_raised_at_each_client()
    {
        await using var second = await MessageHost.ConnectAsync(_server.Endpoint);
        var signals = new[] { Signal.New<string>(), Signal.New<string>() };
        _loader.Loaded += loaded => signals[0].SetResult(loaded.Mod);
        second.GetService<IModLoader>().Loaded += loaded => signals[1].SetResult(loaded.Mod);

        _mods.Raise("a");

        Assert.Equal(["a", "a"], await Task.WhenAll(signals.Select(one => one.Task)).InTime());
    }

    [Fact]
    public async Task Client_with_another_contract_of_an_event_is_refused()
    {
        var other = new MessageContract<int>(78, new BlittableSerializer<int>()); // the id of IModLoader.Idle

        var refused = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(_server.Endpoint, client => client.On(other, (in int _, Peer _) => { })).InTime());

        Assert.Equal(DisconnectReason.WrongContract, refused.Reason);
    }

    [Fact]
    public async Task Events_have_the_arguments_of_their_delegates()
    {
        var changed = Signal.New<(string, int)>();
        var idle = Signal.New<bool>();
        _loader.Changed += (mod, state) => changed.SetResult((mod, state));
        _loader.Idle += () => idle.SetResult(true);

        _mods.Raise("a");

        Assert.Equal(("a", 1), await changed.Task.InTime());
        Assert.True(await idle.Task.InTime());
    }

    [Fact]
    public async Task Each_handler_is_called_until_it_is_removed()
    {
        var calls = new ConcurrentQueue<string>();
        Action<ModLoaded> first = loaded => calls.Enqueue("first " + loaded.Mod);
        _loader.Loaded += first;
        _loader.Loaded += first;
        _client.GetService<IModLoader>().Loaded += loaded => calls.Enqueue("second " + loaded.Mod);

        await RaiseAsync("a");
        _client.GetService<IModLoader>().Loaded -= first;
        await RaiseAsync("b");

        Assert.Equal(["first a", "first a", "second a", "first b", "second b"], calls);
    }

    [Fact]
    public async Task Host_handles_an_event_only_while_it_has_a_handler()
    {
        Action<ModLoaded> handler = static _ => { };
        Assert.Equal(1, await CountUnhandledAsync());
        _loader.Loaded += handler;
        Assert.Equal(0, await CountUnhandledAsync());
        _loader.Loaded -= handler;
        _loader.Loaded -= handler;
        _loader.Loaded -= null;
        _loader.Loaded += null;
        Assert.Equal(1, await CountUnhandledAsync());

        async Task<long> CountUnhandledAsync()
        {
            var before = _client.GetCount(DispatchStatus.NoHandler);
            await RaiseAsync("a", changed: static _ => { });
            return _client.GetCount(DispatchStatus.NoHandler) - before;
        }
    }

    [Fact]
    public async Task Event_of_a_client_is_raised_at_the_server_for_its_peer_only()
    {
        var peers = new List<Peer> { await _server.Connection().InTime() };
        await using var second = await MessageHost.ConnectAsync(_server.Endpoint);
        peers.Add(_server.Peers.Single(peer => peer != peers[0]));
        var mods = new[] { new Mods(), new Mods() };
        using var first = _client.AddService<IModLoader>(mods[0]);
        using var other = second.AddService<IModLoader>(mods[1]);
        var calls = new ConcurrentQueue<string>();
        for (var i = 0; i < 2; i++)
        {
            var place = i;
            peers[i].GetService<IModLoader>().Loaded += loaded => calls.Enqueue($"{place} {loaded.Mod}");
        }

        await RaiseAsync(mods[1], peers[1], "b");
        await RaiseAsync(mods[0], peers[0], "a");

        Assert.Equal(["1 b", "0 a"], calls);
    }

    /// <summary>The model: a list of handlers for each peer. A handler may be in a list more than once, and the last one is removed first.</summary>
    [Fact]
    public async Task Handlers_are_a_list_for_each_peer()
    {
        const int Peers = 3;
        var random = new Random(1);
        var clients = new List<MessageClient>();
        var (mods, loaders, calls) = (new Mods[Peers], new IModLoader[Peers], new List<string>());
        var model = Enumerable.Range(0, Peers).Select(static _ => new List<int>()).ToArray();
        var handlers = Enumerable.Range(0, 4).Select(i => (Action<ModLoaded>)(loaded => calls.Add($"{i} {loaded.Mod}"))).ToArray();
        for (var i = 0; i < Peers; i++)
        {
            mods[i] = new Mods();
            var known = _server.Peers.ToHashSet();
            clients.Add(await MessageHost.ConnectAsync(_server.Endpoint, host => host.AddService<IModLoader>(mods[i])));
            await Signal.UntilAsync(() => _server.Peers.Any(peer => !known.Contains(peer)));
            loaders[i] = _server.Peers.Single(peer => !known.Contains(peer)).GetService<IModLoader>();
        }

        for (var step = 0; step < Extent.Of(200, 2000); step++)
        {
            var (peer, handler) = (random.Next(Peers), random.Next(handlers.Length));
            switch (random.Next(3))
            {
                case 0:
                    loaders[peer].Loaded += handlers[handler];
                    model[peer].Add(handler);
                    break;
                case 1:
                    loaders[peer].Loaded -= handlers[handler];
                    if (model[peer].LastIndexOf(handler) is >= 0 and var last)
                        model[peer].RemoveAt(last);
                    break;
                default:
                    calls.Clear();
                    await RaiseAsync(mods[peer], loaders[peer], $"{step}", null);
                    Assert.Equal(model[peer].Select(one => $"{one} {step}"), calls);
                    break;
            }
        }

        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task Handlers_for_a_peer_that_has_disconnected_are_removed()
    {
        var peer = await _server.Connection().InTime();
        var handler = AddHandler(peer);
        var late = Signal.New<bool>();
        _server.PeerDisconnected += (_, _) => late.SetResult(true); // raised after the handlers were removed
        await _client.DisposeAsync();
        await late.Task.InTime();
        peer.GetService<IModLoader>().Loaded += static _ => { };

        // The type has no handler, so that the server can get another one.
        using var own = _server.On<Reloaded.Messaging.Generated.Reloaded_Messaging_Tests_Services_IModLoaderService.LoadedEvent>(static (in _, _) => { });
        GC.Collect();
        Assert.False(handler.IsAlive);

        static WeakReference AddHandler(Peer peer)
        {
            var target = new ConcurrentQueue<string>();
            peer.GetService<IModLoader>().Loaded += loaded => target.Enqueue(loaded.Mod);
            return new WeakReference(target);
        }
    }

    [Fact]
    public async Task Handlers_for_a_login_that_is_refused_are_removed()
    {
        Peer? refused = null;
        var ended = Signal.New<bool>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"service-events-{Interlocked.Increment(ref s_names)}"), host =>
        {
            host.ConnectionRefused += _ => ended.SetResult(true); // raised after the handlers were removed
            host.OnAuthenticate<ModLoaded, ModLoaded>((_, from, _) =>
            {
                from.GetService<IModLoader>().Loaded += static _ => { };
                refused = from;
                throw new RequestFaultException(1000, "No account has this name.");
            });
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        await Assert.ThrowsAsync<RequestFaultException>(async () => await client.RequestAsync<ModLoaded, ModLoaded>(new ModLoaded("a")));
        await ended.Task.InTime();

        Assert.NotNull(refused?.Disconnected);
        using var own = server.On<Reloaded.Messaging.Generated.Reloaded_Messaging_Tests_Services_IModLoaderService.LoadedEvent>(static (in _, _) => { });
    }

    [Fact]
    public async Task Disposed_registration_raises_no_event()
    {
        var raised = false;
        _loader.Loaded += _ => raised = true;

        _added.Dispose();
        _mods.Raise("a");
        using var again = _server.AddService<IModLoader>(new Mods());
        await _loader.TouchAsync(); // the events before it have arrived

        Assert.False(_mods.HasSubscribers);
        Assert.False(raised);
    }

    [Fact]
    public async Task Exception_of_a_handler_is_reported_by_the_host()
    {
        var failure = Signal.New<Exception>();
        _client.HandlerFailed += failed => failure.SetResult(failed.Exception);
        _loader.Loaded += static _ => throw new InvalidOperationException("no");

        _mods.Raise("a");

        Assert.Equal("no", (await failure.Task.InTime()).Message);
    }

    private Task RaiseAsync(string mod, Action<string>? changed = null) => RaiseAsync(_mods, _loader, mod, changed);

    private static Task RaiseAsync(Mods mods, Peer peer, string mod) => RaiseAsync(mods, peer.GetService<IModLoader>(), mod, null);

    /// <summary>Raises the events, and waits for the last one.</summary>
    private static async Task RaiseAsync(Mods mods, IModLoader loader, string mod, Action<string>? changed)
    {
        var arrived = Signal.New<bool>();
        Action idle = () => arrived.SetResult(true);
        Action<string, int> ignored = (text, _) => changed?.Invoke(text);
        loader.Idle += idle;
        loader.Changed += ignored;
        mods.Raise(mod);
        await arrived.Task.InTime();
        loader.Changed -= ignored;
        loader.Idle -= idle;
    }
}
