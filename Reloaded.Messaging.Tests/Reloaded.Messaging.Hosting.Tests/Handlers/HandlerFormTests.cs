using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

public sealed class HandlerFormTests
{
    private static int s_names;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Event_without_its_sender_is_handled(bool isAsync)
    {
        var handled = Signal.New<int>();
        await using var server = await ListenAsync(server => _ = isAsync
            ? server.On(async (Suspend s) => { await Task.Yield(); handled.SetResult(s.Mod); })
            : server.On((Suspend s) => handled.SetResult(s.Mod)));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        client.Send(new Suspend(3));

        Assert.Equal(3, await handled.Task.InTime());
    }

    [Fact]
    public async Task Exception_of_a_task_is_reported()
    {
        var failed = Signal.New<HandlerFailure>();
        await using var server = await ListenAsync(server =>
        {
            server.HandlerFailed += failed.SetResult;
            server.On<Suspend>(ThrowAsync);
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        client.Send(new Suspend(3));

        Assert.Equal("3", (await failed.Task.InTime()).Exception.Message);

        static async Task ThrowAsync(Suspend suspend, Peer from)
        {
            await Task.Yield();
            throw new System.InvalidOperationException($"{suspend.Mod}");
        }
    }

    [Fact]
    public async Task Token_of_an_event_is_canceled_when_the_sender_disconnects()
    {
        var started = Signal.New<int>();
        var canceled = Signal.New<int>();
        await using var server = await ListenAsync(server => server.On(async (Suspend s, Peer _, CancellationToken token) =>
        {
            started.SetResult(s.Mod);
            await Task.Delay(Timeout.Infinite, token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            canceled.SetResult(s.Mod);
        }));
        await using (var client = await MessageHost.ConnectAsync(server.Endpoint))
        {
            client.Send(new Suspend(3));
            await started.Task.InTime();
        }

        Assert.Equal(3, await canceled.Task.InTime());
    }

    [Fact]
    public async Task Asynchronous_handlers_with_contracts_are_called()
    {
        var suspend = new MessageContract<Suspend>(90, new BlittableSerializer<Suspend>());
        var resume = new MessageContract<Suspend>(91, new BlittableSerializer<Suspend>());
        var handled = Signal.New<int>();
        await using var server = await ListenAsync(server =>
        {
            server.On(suspend, async (message, _, token) =>
            {
                await Task.Yield();
                handled.SetResult(message.Mod);
            });
            server.OnRequest(resume, suspend, async (request, _, token) =>
            {
                await Task.Yield();
                return new Suspend(request.Mod + 1);
            });
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.Sent, client.Send(suspend, new Suspend(3)));
        Assert.Equal(3, await handled.Task.InTime());
        Assert.Equal(new Suspend(5), await client.Server.RequestAsync(resume, suspend, new Suspend(4)).AsTask().InTime());
    }

    [Fact]
    public async Task Contract_of_an_asynchronous_handler_is_announced()
    {
        var (old, current) = (Contract(version: 1), Contract(version: 2));
        await using var server = await ListenAsync(server => server.On(current, static (_, _, _) => default));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(SendStatus.ContractMismatch, client.Send(old, new Suspend(3)));

        static MessageContract<Suspend> Contract(int version) => new(90, new BlittableSerializer<Suspend>(), version: version);
    }

    private static Task<MessageServer> ListenAsync(System.Action<MessageServer> configure) =>
        MessageHost.ListenAsync(MessageEndpoint.InProcess($"handler-forms-{Interlocked.Increment(ref s_names)}"), configure);
}
