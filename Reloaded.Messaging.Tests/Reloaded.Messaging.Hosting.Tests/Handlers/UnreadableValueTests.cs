using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>A message whose serializer, constructor or setter throws cannot be read, like one with invalid bytes.</summary>
public sealed class UnreadableValueTests
{
    private static readonly MessageContract<Note> s_note = new(70, new ThrowingSerializer<Note>(onWrite: false));

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Value_that_throws_is_an_invalid_payload_and_is_reported(bool isAsync, bool isPumped)
    {
        var failures = new ConcurrentQueue<HandlerFailure>();
        await using var hosts = await ConnectAsync(isAsync, isPumped, failures);
        using var pump = Pump.Of(hosts.Server);

        hosts.Client.Send(s_note, new Note("event"));
        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(s_note, MessageContract.GetDeclared<Pong>(), new Note("request")).AsTask().InTime());

        Assert.Equal(FaultCode.InvalidRequest, fault.Code);
        await Signal.UntilAsync(() => hosts.Server.GetStatistics().MalformedMessages == 2); // counted after the fault is sent
        Assert.All(failures, static failure => Assert.Equal((70u, "from the serializer"), (failure.Type, failure.Exception.Message)));
        Assert.Equal((2, 2), (failures.Count, hosts.Server.GetCount(DispatchStatus.InvalidPayload)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Peer_that_sends_too_many_such_values_is_disconnected(bool isPumped)
    {
        await using var hosts = await ConnectAsync(isAsync: false, isPumped, new ConcurrentQueue<HandlerFailure>());
        using var pump = Pump.Of(hosts.Server);
        var gone = hosts.Server.Disconnection();

        for (var i = 0; i <= HostLimits.Default.MaxMalformedMessages; i++)
            hosts.Client.Send(s_note, new Note("event"));

        Assert.Equal(DisconnectReason.Malformed, await gone.InTime());
    }

    [Fact]
    public async Task Constructor_and_setter_that_throw_make_the_message_unreadable()
    {
        var failures = new ConcurrentQueue<HandlerFailure>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.HandlerFailed += failures.Enqueue;
            server.On((Positive _) => { });
        });
        var zero = new Positive { Number = 1 };
        zero.Clear();

        hosts.Client.Send(zero);

        await Signal.UntilAsync(() => hosts.Server.GetCount(DispatchStatus.InvalidPayload) == 1);
        Assert.IsType<ArgumentOutOfRangeException>(Assert.Single(failures).Exception);
    }

    private static Task<HostPair> ConnectAsync(bool isAsync, bool isPumped, ConcurrentQueue<HandlerFailure> failures) => HostPair.ConnectAsync(
        MessageEndpoint.Tcp(0),
        server =>
        {
            server.HandlerFailed += failures.Enqueue;
            if (isAsync)
                server.OnRequest(s_note, MessageContract.GetDeclared<Pong>(), static (Note _, Peer _, System.Threading.CancellationToken _) => new ValueTask<Pong>(default(Pong)));
            else
                server.OnRequest(s_note, MessageContract.GetDeclared<Pong>(), static (in Note _, Peer _) => default);
        },
        serverOptions: new MessageHostOptions { IsPumped = isPumped });
}

[Message(71)]
public sealed class Positive
{
    private int _number;

    public int Number
    {
        get => _number;
        set => _number = value > 0 ? value : throw new ArgumentOutOfRangeException(nameof(value));
    }

    public void Clear() => _number = 0;
}
