using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Handlers;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>Requests that name their reply, or have none.</summary>
public sealed class InferredRequestTests
{
    private static int s_names;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Reply_is_inferred_from_the_request(bool resends)
    {
        await using var server = await ListenAsync(server => server.OnRequest((ListMods request) => new ModList(request.LoadedOnly ? 1 : 2)));
        await using var client = await ConnectAsync(server, resends);

        Assert.Equal(new ModList(1), await client.RequestAsync(new ListMods(true)).AsTask().InTime());
        Assert.Equal(new ModList(2), (await client.TryRequestAsync(new ListMods(false)).AsTask().InTime()).Reply);
        Assert.Equal(new ModList(1), await client.Server.RequestAsync(new ListMods(true)).AsTask().InTime());
        Assert.Equal(new ModList(2), (await client.Server.TryRequestAsync(new ListMods(false)).AsTask().InTime()).Reply);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Request_without_reply_completes_after_its_handler(bool resends)
    {
        var release = Signal.New<int>();
        var handled = 0;
        await using var server = await ListenAsync(server => server.OnRequest(async (Suspend suspend) =>
        {
            await release.Task;
            handled += suspend.Mod;
        }));
        await using var client = await ConnectAsync(server, resends);

        var first = client.RequestAsync(new Suspend(3)).AsTask();
        var second = client.TryRequestAsync(new Suspend(4)).AsTask();
        var third = client.Server.TryRequestAsync(new Suspend(5)).AsTask();
        Assert.False(first.IsCompleted);
        release.SetResult(0);
        await first.InTime();
        await client.Server.RequestAsync(new Suspend(6)).AsTask().InTime();

        Assert.Equal(RequestStatus.Replied, (await second.InTime()).Status);
        Assert.Equal(RequestStatus.Replied, (await third.InTime()).Status);
        Assert.Equal(18, handled);
    }

    [Fact]
    public async Task Fault_of_a_request_without_reply_is_thrown()
    {
        await using var server = await ListenAsync(server => server.OnRequest((Suspend suspend, Peer _) =>
        {
            if (suspend.Mod == 3)
                throw new RequestFaultException(1000, "It is needed.");
        }));
        await using var client = await ConnectAsync(server);

        await client.RequestAsync(new Suspend(2)).AsTask().InTime();
        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => client.RequestAsync(new Suspend(3)).AsTask().InTime());

        Assert.Equal((1000, "It is needed."), (fault.Code, fault.Message));
    }

    [Fact]
    public async Task Acknowledgement_is_an_empty_reply_of_the_library()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Suspend _) => { }));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync(RawPeer.Request(new Suspend(1), 77));
        var (header, payload) = await raw.ReceiveAsync();

        Assert.Equal((MessageKind.Reply, 0xFFFF0040, 77u), (header.Kind, header.Type, header.CorrelationId));
        Assert.Empty(payload);
    }

    [Fact]
    public async Task Null_and_a_type_without_a_contract_are_refused()
    {
        await using var server = await ListenAsync(_ => { });
        await using var client = await ConnectAsync(server);

        await Assert.ThrowsAsync<ArgumentNullException>(() => client.RequestAsync((IRequest<ModList>)null!).AsTask());
        var undeclared = await Assert.ThrowsAsync<InvalidOperationException>(() => client.RequestAsync(new Undeclared()).AsTask());
        Assert.Contains("No contract is declared for", undeclared.Message, StringComparison.Ordinal);
    }

    private static Task<MessageServer> ListenAsync(Action<MessageServer> configure) =>
        MessageHost.ListenAsync(MessageEndpoint.InProcess($"inferred-{Interlocked.Increment(ref s_names)}"), configure);

    private static Task<MessageClient> ConnectAsync(MessageServer server, bool resends = false) =>
        MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Reconnect = resends ? new ReconnectOptions { ResendsRequests = true } : null });

    private sealed class Undeclared : IRequest;
}
