using System.Linq;
using System.Linq.Expressions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Handlers;
using Reloaded.Messaging.Tests.Support;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <summary>No code of the program runs under a lock of the library: docs/internals/locking.md, rule 1. Each scenario covers one area.</summary>
public sealed partial class LockTests
{
    private static int s_names;

    [Fact]
    public Task Handlers_run_under_no_lock() => LockScenario.CheckAsync(HandleAsync);

    [Fact]
    public Task Cancellation_callbacks_of_handlers_run_under_no_lock() => LockScenario.CheckAsync(CancelAsync);

    [Fact]
    public Task Continuations_of_requests_run_under_no_lock() => LockScenario.CheckAsync(RequestAsync);

    [Fact]
    public Task Pumped_handlers_run_under_no_lock() => LockScenario.CheckAsync(PumpAsync);

    [Fact]
    public Task Handlers_of_credentials_run_under_no_lock() => LockScenario.CheckAsync(AuthenticateAsync);

    /// <summary>Handlers of events and of requests, in all forms.</summary>
    internal static async Task HandleAsync()
    {
        var (server, client) = await ConnectAsync();
        await EventAsync("event handler", check => server.On((in Ping _, Peer _) => check()));
        await EventAsync("event handler by a contract", check => server.On(MessageContract.GetDeclared<Ping>(), (in Ping _, Peer _) => check()));
        await EventAsync("event handler without a sender", check => server.On((Ping _) => check()));
        await EventAsync("event handler with a value task", check => server.On(async (Ping _, Peer _, CancellationToken _) =>
        {
            check();
            await Task.Yield();
            Check("continuation of an event handler");
            throw new InvalidOperationException("For HandlerFailed.");
        }));
        await EventAsync("event handler with a task", check => server.On((Ping _) => RunAsync(check)));
        await UntilCalledAsync("continuation of an event handler", "HandlerFailed");

        await RequestAsync("request handler", check => server.OnRequest((in Ping _, Peer _) => Reply(check)));
        await RequestAsync("request handler by contracts", check => server.OnRequest(MessageContract.GetDeclared<Ping>(), MessageContract.GetDeclared<Pong>(), (in Ping _, Peer _) => Reply(check)));
        await RequestAsync("request handler without a sender", check => server.OnRequest((Ping _) => Reply(check)));
        await RequestAsync("request handler with a value task", check => server.OnRequest(async (Ping _, Peer _, CancellationToken _) =>
        {
            check();
            await Task.Yield();
            Check("continuation of a request handler");
            return default(Pong);
        }));
        await RequestAsync("request handler with a task", check => server.OnRequest((Ping _) => Task.FromResult(Reply(check))));
        await RequestAsync("request handler that throws", check => server.OnRequest<Ping, Pong>((in Ping _, Peer _) =>
        {
            check();
            throw new InvalidOperationException("For HandlerFailed.");
        }));
        await UntilCalledAsync("continuation of a request handler");

        await AcknowledgeAsync("handler of a request without a reply", check => server.OnRequest((Suspend _) => check()));
        await AcknowledgeAsync("handler of a request without a reply with a value task", check => server.OnRequest(async (Suspend _) => await RunAsync(check)));
        await AcknowledgeAsync("handler of a request without a reply with a task", check => server.OnRequest((Suspend _) => RunAsync(check)));
        await DisposeAsync(client, server);

        async Task EventAsync(string kind, Func<Action, HandlerRegistration> register)
        {
            using var registration = register(() => Check(kind));
            await server.AnsweredAsync();
            Assert.Equal(SendStatus.Sent, client.Send(new Ping(1)));
            await UntilCalledAsync(kind);
        }

        async Task RequestAsync(string kind, Func<Action, HandlerRegistration> register)
        {
            using var registration = register(() => Check(kind));
            await server.AnsweredAsync();
            await client.TryRequestAsync<Ping, Pong>(new Ping(1));
            await UntilCalledAsync(kind);
        }

        async Task AcknowledgeAsync(string kind, Func<Action, HandlerRegistration> register)
        {
            using var registration = register(() => Check(kind));
            await server.AnsweredAsync();
            await client.RequestAsync(new Suspend(1));
            await UntilCalledAsync(kind);
        }

        static Pong Reply(Action check)
        {
            check();
            return default;
        }

        static async Task RunAsync(Action check)
        {
            check();
            await Task.Yield();
        }
    }

    /// <summary>Callbacks of the tokens of handlers: after a cancellation by the client, and after a disconnect.</summary>
    internal static async Task CancelAsync()
    {
        var (server, client) = await ConnectAsync(server: host =>
        {
            host.OnRequest(async (Note note, Peer _, CancellationToken token) =>
            {
                await HoldAsync(note.Text, token);
                return note;
            });
            host.On(async (Ping _, Peer _, CancellationToken token) => await HoldAsync("event", token));
        });
        using (var canceled = new CancellationTokenSource())
        {
            var request = client.TryRequestAsync<Note, Note>(new Note("canceled request"), cancellationToken: canceled.Token).AsTask();
            await UntilCalledAsync("handler of the canceled request");
            await canceled.CancelAsync();
            await UntilCalledAsync("cancellation of the canceled request");
            await request;
        }

        var disconnected = client.TryRequestAsync<Note, Note>(new Note("disconnected request")).AsTask();
        client.Send(new Ping(1));
        await UntilCalledAsync("handler of the disconnected request", "handler of the event");
        await client.Server.DisconnectAsync();
        await UntilCalledAsync("cancellation of the disconnected request", "cancellation of the event");
        await disconnected;
        await DisposeAsync(client, server);

        static async Task HoldAsync(string what, CancellationToken token)
        {
            await using var registration = token.Register(() => Check($"cancellation of the {what}"));
            Check($"handler of the {what}");
            await Task.Delay(Timeout.Infinite, token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>The code after a request, by each end of a request.</summary>
    internal static async Task RequestAsync()
    {
        var (server, client) = await ConnectAsync(
            server: static host =>
            {
                host.OnRequest(static (Ping ping) => new Pong(ping.Number));
                host.OnRequest(static async (Note note, Peer _, CancellationToken token) =>
                {
                    Check("silent handler");
                    await Task.Delay(Timeout.Infinite, token);
                    return note;
                });
            },
            clientOptions: new MessageHostOptions { AllowSynchronousContinuations = true });
        await LockScenario.ContinueAsync("continuation of a reply", client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask());
        await LockScenario.ContinueAsync("continuation of a fault", client.TryRequestAsync<Suspend, Acknowledgement>(new Suspend(1)).AsTask());
        await LockScenario.ContinueAsync("continuation of a timeout", client.TryRequestAsync<Note, Note>(new Note("a"), TimeSpan.FromMilliseconds(50)).AsTask());
        using (var canceled = new CancellationTokenSource(TimeSpan.FromMilliseconds(50)))
            await LockScenario.ContinueAsync("continuation of a cancellation", client.TryRequestAsync<Note, Note>(new Note("a"), cancellationToken: canceled.Token).AsTask());
        await LockScenario.AwaitInContextAsync("context of a reply", async () => await client.RequestAsync<Ping, Pong>(new Ping(1)));
        var lost = LockScenario.ContinueAsync("continuation of a disconnect", client.TryRequestAsync<Note, Note>(new Note("a")).AsTask());
        await UntilCalledAsync("silent handler");
        await client.Server.DisconnectAsync();
        await lost;
        await LockScenario.ContinueAsync("continuation of an unsent request", client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask());
        await DisposeAsync(client, server);
    }

    /// <summary>Handlers inside of a pump, and the events of a pump that is not called.</summary>
    internal static async Task PumpAsync()
    {
        var options = new MessageHostOptions { IsPumped = true, RequestTimeout = TimeSpan.FromMilliseconds(200), PumpCapacity = 4 };
        var (server, client) = await ConnectAsync(
            server: static host =>
            {
                host.On(static (in Ping _, Peer _) => Check("pumped event handler"));
                host.On(static async (Pong _, Peer _, CancellationToken token) =>
                {
                    Check("pumped asynchronous event handler");
                    await Task.Yield();
                    Check("continuation in the pump");
                });
                host.OnRequest(static (Note note) =>
                {
                    Check("pumped request handler");
                    return note;
                });
            },
            serverOptions: options);
        for (var i = 0; i < 20; i++)
            client.Send(new Ping(i)); // more than the capacity
        client.Send(new Pong(1));
        await UntilCalledAsync("PumpStalled");
        var request = client.RequestAsync<Note, Note>(new Note("a"), Deadline.Length).AsTask();
        await Signal.UntilAsync(() =>
        {
            server.Pump();
            return request.IsCompleted;
        });
        await Signal.UntilAsync(() =>
        {
            server.Pump();
            return WasCalled("continuation in the pump");
        });
        await UntilCalledAsync("pumped event handler", "pumped asynchronous event handler", "pumped request handler");

        client.Send(new Ping(1));
        await Signal.UntilAsync(() => server.Inbox!.Count > 0);
        await DisposeAsync(server, client);
        await UntilCalledAsync("MessagesUnhandled");
    }

    /// <summary>The handler of credentials, which accepts one client and refuses another.</summary>
    internal static async Task AuthenticateAsync()
    {
        var server = await MessageHost.ListenAsync(NextEndpoint(), static host =>
        {
            CheckEvents(host);
            host.OnAuthenticate<Login, Welcome>(static async (login, _, token) =>
            {
                Check("handler of credentials");
                token.Register(static () => Check("cancellation of credentials"));
                await Task.Yield();
                Check("continuation of a handler of credentials");
                if (login.Name == "slow")
                    await Task.Delay(Timeout.Infinite, token);
                return login.Name == "right" ? new Welcome("Hello.") : throw new RequestFaultException(1000, "Wrong.");
            });
        });
        foreach (var name in (string[])["right", "wrong"])
        {
            var client = await MessageHost.ConnectAsync(server.Endpoint, CheckEvents);
            await client.TryRequestAsync<Login, Welcome>(new Login(name, ""));
            await client.DisposeAsync();
        }

        var slow = await MessageHost.ConnectAsync(server.Endpoint, CheckEvents);
        var request = slow.TryRequestAsync<Login, Welcome>(new Login("slow", "")).AsTask();
        await UntilCalledAsync("handler of credentials", "continuation of a handler of credentials", "PeerConnected", "PeerDisconnected", "ConnectionRefused");
        await slow.DisposeAsync();
        await UntilCalledAsync("cancellation of credentials");
        await request;
        await server.DisposeAsync();
    }

    private static MessageEndpoint NextEndpoint() => MessageEndpoint.InProcess($"locks-{Interlocked.Increment(ref s_names)}");

    /// <summary>Connects a client to a server. All events of both check the held locks.</summary>
    private static async Task<(MessageServer Server, MessageClient Client)> ConnectAsync(
        Action<MessageHost>? server = null,
        Action<MessageHost>? client = null,
        MessageHostOptions? serverOptions = null,
        MessageHostOptions? clientOptions = null,
        MessageEndpoint? endpoint = null)
    {
        var listening = await MessageHost.ListenAsync(endpoint ?? NextEndpoint(), host => Configure(host, server), serverOptions);
        var connected = await MessageHost.ConnectAsync(listening.Endpoint, host => Configure(host, client), clientOptions);
        await listening.Connection().InTime();
        return (listening, connected);

        static void Configure(MessageHost host, Action<MessageHost>? configure)
        {
            CheckEvents(host);
            configure?.Invoke(host);
        }
    }

    private static async Task DisposeAsync(MessageHost first, MessageHost second)
    {
        await first.DisposeAsync();
        await second.DisposeAsync();
    }

    /// <summary>Adds a handler to each public event of an object.</summary>
    private static void CheckEvents(object source)
    {
        foreach (var raised in source.GetType().GetEvents())
        {
            var parameters = raised.EventHandlerType!.GetMethod("Invoke")!.GetParameters();
            var call = Expression.Call(typeof(HeldLocks).GetMethod(nameof(Check))!, Expression.Constant(raised.Name));
            var handler = Expression.Lambda(raised.EventHandlerType, call, parameters.Select(static parameter => Expression.Parameter(parameter.ParameterType, parameter.Name)));
            raised.AddEventHandler(source, handler.Compile());
        }
    }
}
