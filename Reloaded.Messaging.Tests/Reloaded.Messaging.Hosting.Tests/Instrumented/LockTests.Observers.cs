using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Handlers;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <content>Taps and events.</content>
public sealed partial class LockTests
{
    [Fact]
    public Task Taps_run_under_no_lock() => LockScenario.CheckAsync(TapAsync);

    [Fact]
    public Task Events_of_hosts_are_raised_under_no_lock() => LockScenario.CheckAsync(RaiseAsync);

    /// <summary>Taps of both sides, for each kind of message.</summary>
    internal static async Task TapAsync()
    {
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(50) };
        var (server, client) = await ConnectAsync(
            server: static host =>
            {
                CheckTap(host, "server");
                host.AllowInspection(); // by a tap of the library
                host.On(static (in Ping _, Peer _) => { });
                host.OnRequest(static (Pong pong) => pong);
                host.OnRequest(static async (Note note, Peer _, CancellationToken token) =>
                {
                    Check("silent handler");
                    await Task.Delay(Timeout.Infinite, token);
                    return note;
                });
            },
            client: static host =>
            {
                CheckTap(host, "client");
                host.On(static (in Ping _, Peer _) => { });
            },
            options,
            options);
        await client.Server.InspectAsync();
        client.Send(new Ping(1));
        server.Broadcast(new Ping(1));
        await client.RequestAsync<Pong, Pong>(new Pong(1));
        await client.TryRequestAsync(new Suspend(1)); // has no handler
        using (var canceled = new CancellationTokenSource())
        {
            var request = client.TryRequestAsync<Note, Note>(new Note("a"), cancellationToken: canceled.Token).AsTask();
            await UntilCalledAsync("silent handler");
            await canceled.CancelAsync();
            await request;
        }

        server.On(static (in Login _, Peer _) => { }); // announces its contract
        client.On(static (in Welcome _, Peer _) => { });
        foreach (var (one, other) in ((string, string)[])[("client", "server"), ("server", "client")])
        {
            await UntilCalledAsync(
                $"{one}: Sent Event",
                $"{other}: Received Event",
                $"{one}: Sent Control {ControlCode.Hello}",
                $"{other}: Received Control {ControlCode.Hello}",
                $"{one}: Sent Control {ControlCode.Ping}",
                $"{other}: Received Control {ControlCode.Ping}",
                $"{one}: Sent Control {ControlCode.Pong}",
                $"{other}: Received Control {ControlCode.Pong}");
        }

        await UntilCalledAsync(
            "client: Sent Request",
            "server: Received Request",
            "server: Sent Reply",
            "client: Received Reply",
            "server: Sent Fault",
            "client: Received Fault",
            $"client: Sent Control {ControlCode.Cancel}",
            $"server: Received Control {ControlCode.Cancel}");
        await client.Server.KickAsync("The end.");
        await UntilCalledAsync($"client: Sent Control {ControlCode.Goodbye}", $"server: Received Control {ControlCode.Goodbye}");
        await DisposeAsync(client, server);
    }

    /// <summary>The events of hosts that the other scenarios do not raise in each way.</summary>
    internal static async Task RaiseAsync()
    {
        await RaiseMismatchesAsync();
        await RaiseLossAsync();
        await RaiseDatagramFailureAsync();

        var (server, client) = await ConnectAsync(server: static host =>
        {
            host.On(static (in Ping _, Peer _) => throw new InvalidOperationException("For HandlerFailed."));
            host.Tap(static (in TappedMessage _) => throw new InvalidOperationException("For HandlerFailed."));
            host.PeerConnected += static _ => throw new InvalidOperationException("For HandlerFailed.");
        });
        client.Send(new Ping(1));
        await UntilCalledAsync("PeerConnected", "HandlerFailed");
        await server.DisposeAsync();
        await UntilCalledAsync("PeerDisconnected");
        await client.DisposeAsync();
    }

    /// <summary>Contracts that differ in the handshake, in a later announcement, and at the first send.</summary>
    private static async Task RaiseMismatchesAsync()
    {
        var options = new MessageHostOptions { AcceptsOtherContracts = true };
        var (server, client) = await ConnectAsync(
            server: static host =>
            {
                host.ContractMismatched += static (_, mismatch) => Check($"server: mismatch of {mismatch.Type}");
                host.On(static (in Ping _, Peer _) => { });
                host.On(static (in Pong _, Peer _) => { });
            },
            client: static host =>
            {
                host.ContractMismatched += static (_, mismatch) => Check($"client: mismatch of {mismatch.Type}");
                host.On(Other<Ping>(1), static (in Ping _, Peer _) => { });
            },
            options,
            options);
        await UntilCalledAsync("server: mismatch of 1", "client: mismatch of 1"); // in the handshake
        client.Server.Send(Other<Pong>(2), new Pong(1));
        await UntilCalledAsync("client: mismatch of 2"); // at the first send
        server.On(Other<Ping>(60), static (in Ping _, Peer _) => { });
        client.On(First<Ping>(60), static (in Ping _, Peer _) => { });
        await UntilCalledAsync("server: mismatch of 60"); // in an announcement, which the side compares that has the contract already
        client.On(First<Ping>(61), static (in Ping _, Peer _) => { });
        server.On(Other<Ping>(61), static (in Ping _, Peer _) => { });
        await UntilCalledAsync("client: mismatch of 61");
        await DisposeAsync(client, server);

        static MessageContract<T> First<T>(uint type)
            where T : unmanaged => new(type, new BlittableSerializer<T>());

        static MessageContract<T> Other<T>(uint type)
            where T : unmanaged => new(type, new BlittableSerializer<T>(), version: 2);
    }

    /// <summary>A disconnect before the queued messages were written.</summary>
    private static async Task RaiseLossAsync()
    {
        var transport = new CheckingTransport();
        var (server, client) = await ConnectAsync(
            clientOptions: new MessageHostOptions { FlushTimeout = TimeSpan.FromMilliseconds(50) },
            endpoint: MessageEndpoint.Over(transport, NextEndpoint().Address));
        transport.Hold();
        client.Send(new Note("lost"));
        await client.Server.DisconnectAsync();
        await UntilCalledAsync("MessagesLost");
        transport.Release();
        await DisposeAsync(client, server);
    }

    /// <summary>A clock that throws while a datagram is handled.</summary>
    private static async Task RaiseDatagramFailureAsync()
    {
        var time = new ThrowingTime();
        var context = new TransportContext { TimeProvider = time };
        var server = Servers.Make(UdpListeners.Listen(context), new MessageHostOptions(), context);
        CheckEvents(server);
        server.Start();
        using (var client = new UnauthenticatedClient(server.Endpoint))
        {
            time.Throws = true;
            await client.SendAsync(UnauthenticatedClient.Hello());
            await UntilCalledAsync("DatagramFailed");
            time.Throws = false;
        }

        await server.DisposeAsync();
    }

    private static void CheckTap(MessageHost host, string name) => host.Tap((in TappedMessage message) =>
        Check(message.Header.Kind == MessageKind.Control ? $"{name}: {message.Direction} Control {message.Header.Type}" : $"{name}: {message.Direction} {message.Header.Kind}"));

    private sealed class ThrowingTime : TimeProvider
    {
        public volatile bool Throws;

        public override long GetTimestamp() => Throws ? throw new NotSupportedException() : base.GetTimestamp();
    }
}
