using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Services;

public sealed class ServiceCallTests : IAsyncLifetime
{
    private static int s_names;

    private readonly Mods _mods = new();
    private MessageServer _server = null!;
    private MessageClient _client = null!;
    private IModLoader _loader = null!;

    public async ValueTask InitializeAsync()
    {
        _server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"service-calls-{Interlocked.Increment(ref s_names)}"), host => host.AddService<IModLoader>(_mods));
        _client = await MessageHost.ConnectAsync(_server.Endpoint);
        _loader = _client.GetService<IModLoader>();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Method_whose_result_is_a_message_returns_it()
    {
        Assert.Equal(["a"], (await _loader.ListAsync(loadedOnly: true)).Mods);
        Assert.Equal(["a", "b"], (await _loader.ListAsync(loadedOnly: false)).Mods);
    }

    [Fact]
    public async Task Method_whose_result_is_not_a_message_returns_it()
    {
        Assert.Equal(5, await _loader.CountAsync(4));
        Assert.Equal(2, await _loader.CountAsync());
        Assert.Equal(["x", "b"], (await _loader.TagsAsync("b", new Dictionary<string, int> { ["x"] = 1 }))!);
        Assert.Null(await _loader.TagsAsync("b", null));
    }

    [Fact]
    public async Task Method_without_a_result_completes_after_the_method_of_the_server()
    {
        await _loader.SuspendAsync("a");
        await _loader.TouchAsync();

        Assert.Equal(["a"], _mods.Suspended);
    }

    [Fact]
    public async Task Method_of_a_base_interface_is_called() => Assert.Equal("b", (await _loader.FindAsync("b")).Mod);

    [Fact]
    public async Task Caller_is_the_peer_at_the_server()
    {
        await using var second = await MessageHost.ConnectAsync(_server.Endpoint);

        var ids = new[] { await _loader.WhoAsync(), await second.GetService<IModLoader>().WhoAsync() };

        Assert.NotEqual(ids[0], ids[1]);
        Assert.All(ids, id => Assert.Contains(_server.Peers, peer => peer.Id == id));
    }

    [Fact]
    public async Task Exception_of_the_method_is_a_fault()
    {
        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => _loader.SuspendAsync("unknown"));

        Assert.Equal(1000, fault.Code);
        Assert.Equal("No mod unknown.", fault.Message);
    }

    [Fact]
    public async Task Canceled_token_cancels_the_token_of_the_method()
    {
        using var source = new CancellationTokenSource();
        var suspending = _loader.SuspendAsync("slow", source.Token);
        await _mods.Entered.Task.InTime();

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => suspending);
        await _mods.Canceled.Task.InTime();
    }

    [Fact]
    public async Task Server_calls_the_service_of_a_client()
    {
        using var added = _client.AddService<IModLoader>(new Mods());
        var peer = await _server.Connection().InTime();
        await _client.AnsweredAsync();

        Assert.Equal(8, await peer.GetService<IModLoader>().CountAsync(7));
    }

    [Fact]
    public async Task Two_services_at_one_host_are_independent()
    {
        using var added = _server.AddService<IOther>(new Other());
        await _server.AnsweredAsync();

        Assert.Equal(-4, await _client.GetService<IOther>().CountAsync(4));
        Assert.Equal(5, await _loader.CountAsync(4));
    }

    [Fact]
    public void Second_object_for_a_service_is_refused_and_leaves_no_handlers()
    {
        var second = new Mods();

        Assert.Throws<InvalidOperationException>(() => _server.AddService<IModLoader>(second));

        Assert.False(second.HasSubscribers);
    }

    [Fact]
    public void Type_that_is_not_a_service_is_refused()
    {
        var error = Assert.Throws<InvalidOperationException>(() => _client.GetService<IModFolder>());

        Assert.Contains("[MessageService]", error.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => _server.AddService(_mods));
    }

    [Fact]
    public async Task Client_that_has_reconnected_calls_the_new_server()
    {
        var endpoint = MessageEndpoint.InProcess($"service-calls-{Interlocked.Increment(ref s_names)}");
        var options = new MessageHostOptions { Reconnect = new ReconnectOptions { ResendsRequests = true } };
        var first = await MessageHost.ListenAsync(endpoint, host => host.AddService<IModLoader>(_mods));
        await using var client = await MessageHost.ConnectAsync(endpoint, options: options);
        var loader = client.GetService<IModLoader>();
        var loaded = Signal.New<string>();
        loader.Loaded += message => loaded.TrySetResult(message.Mod);
        var lost = client.Disconnection();
        await first.DisposeAsync();
        await lost.InTime();

        var mods = new Mods();
        await using var next = await MessageHost.ListenAsync(endpoint, host => host.AddService<IModLoader>(mods));

        Assert.Equal(5, await loader.CountAsync(4));
        mods.Raise("again");
        Assert.Equal("again", await loaded.Task.InTime());
    }

    [Fact]
    public async Task Service_whose_registration_is_disposed_is_not_called()
    {
        var other = new Other();
        var added = _server.AddService<IOther>(other);
        added.Dispose();
        added.Dispose();

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => _client.GetService<IOther>().CountAsync(1));
        using var again = _server.AddService<IOther>(other);

        Assert.Equal(FaultCode.NoHandler, fault.Code);
        Assert.Equal(-1, await _client.GetService<IOther>().CountAsync(1));
    }

    private sealed class Other : IOther
    {
        public Task<int> CountAsync(int atLeast) => Task.FromResult(-atLeast);
    }
}
