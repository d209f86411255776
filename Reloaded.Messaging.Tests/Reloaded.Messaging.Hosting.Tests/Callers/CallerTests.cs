using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Callers;

/// <summary>What holds for hosts over any transport, whichever thread of the program opens, uses and closes them.</summary>
public abstract class CallerTests
{
    private const string Culture = "tr-TR";

    private static readonly AsyncLocal<object?> s_local = new();

    private readonly ConcurrentQueue<string> _seen = new(); // what a callback saw of a caller
    private readonly ConcurrentDictionary<string, bool> _called = new();
    private MessageServer? _server;
    private MessageClient? _client;

    /// <summary>The endpoint of the server.</summary>
    protected abstract MessageEndpoint Endpoint { get; }

    protected virtual MessageHostOptions ServerOptions { get; } = new();

    protected virtual MessageHostOptions ClientOptions => ServerOptions;

    /// <summary>Returns the endpoint to which the client connects.</summary>
    protected virtual MessageEndpoint EndpointOfClient(MessageServer server) => server.Endpoint;

    [Fact]
    public void Hosts_of_a_thread_whose_context_runs_nothing_connect_reply_and_close() => CallerThread.RunWithSilentContext(OpenUseAndClose);

    [Fact]
    public void Hosts_of_a_thread_whose_context_throws_connect_reply_and_close() => CallerThread.RunWithThrowingContext(OpenUseAndClose);

    [Fact]
    public void Hosts_of_an_exclusive_task_that_waits_connect_reply_and_close() => CallerThread.RunAsExclusiveTask(OpenUseAndClose);

    [Fact]
    public async Task Callbacks_see_nothing_of_the_callers_and_hosts_keep_nothing_of_them()
    {
        var opener = RunUnderAmbientState(() =>
        {
            Open();
            Use();
        });
        Use();
        Assert.Empty(_seen);
        await AssertCollectedAsync(opener);

        LoseConnection();
        Use();
        var closer = RunUnderAmbientState(Close);
        Assert.Empty(_seen);
        await AssertCollectedAsync(closer);

        string[] expected = ["handler", "async handler", "handler of the client", "server connected", "client connected", "server failed", "server disconnected", "client disconnected"];
        Assert.All(expected, call => Assert.True(_called.ContainsKey(call), $"{call} was not called."));
        GC.KeepAlive(_server);
        GC.KeepAlive(_client);
    }

    /// <summary>The options of a client that reconnects. Its first attempt fails.</summary>
    protected MessageHostOptions Reconnecting(MessageHostOptions options) => options with
    {
        Reconnect = new ReconnectOptions
        {
            MaxDelay = TimeSpan.FromMilliseconds(1),
            ResendsRequests = true,
            NextEndpoint = _ =>
            {
                Observe("next endpoint");
                return new ValueTask<MessageEndpoint?>(_server!.Endpoint);
            },
        },
    };

    /// <summary>Opens the hosts as a program does, waits for a reply of each, and closes them.</summary>
    private void OpenUseAndClose()
    {
        Open();
        Use();
        Close();
    }

    private void Open()
    {
        _server = Wait(MessageHost.ListenAsync(Endpoint, Configure, ServerOptions));
        _client = Wait(MessageHost.ConnectAsync(EndpointOfClient(_server), Configure, ClientOptions));
    }

    private void Configure(MessageServer server)
    {
        Configure(server, "server");
        server.On((AmbientEvent _, Peer peer) =>
        {
            Observe("handler");
            peer.Send(new AmbientUpdate(1));
            throw new InvalidOperationException("For HandlerFailed.");
        });
        server.OnRequest(async (AmbientQuestion question) =>
        {
            Observe("async handler");
            await Task.Yield();
            Observe("async handler");
            return new AmbientAnswer(question.Number);
        });
    }

    private void Configure(MessageClient client)
    {
        Configure(client, "client");
        client.ReconnectFailed += _ => Observe("reconnect failed");
        client.On((AmbientUpdate _) => Observe("handler of the client"));
    }

    private void Configure(MessageHost host, string role)
    {
        host.PeerConnected += _ => Observe($"{role} connected");
        host.PeerDisconnected += (_, _) => Observe($"{role} disconnected");
        host.HandlerFailed += _ => Observe($"{role} failed");
        host.MessagesLost += (_, _) => Observe($"{role} lost");
        host.MessagesUnhandled += (_, _) => Observe($"{role} unhandled");
    }

    /// <summary>Sends an event and a request, and waits for what they cause.</summary>
    private void Use()
    {
        _called.TryRemove("handler of the client", out _);
        Assert.Equal(SendStatus.Sent, _client!.Send(new AmbientEvent(1)));
        var reply = Wait(_client.RequestAsync(new AmbientQuestion(7)).AsTask());
        Assert.Equal(7, reply.Number);
        Wait(Signal.UntilAsync(() => _called.ContainsKey("handler of the client") && _called.ContainsKey("server failed")));
    }

    /// <summary>Ends the connection on the server, and connects again.</summary>
    private void LoseConnection()
    {
        Wait(Assert.Single(_server!.Peers).DisconnectAsync());
        Wait(Signal.UntilAsync(() => _called.ContainsKey("client disconnected")));
        if (ClientOptions.Reconnect is null)
        {
            Wait(_client!.DisposeAsync().AsTask());
            _client = Wait(MessageHost.ConnectAsync(EndpointOfClient(_server), Configure, ClientOptions));
        }
        else
        {
            Wait(Signal.UntilAsync(() => _client!.State == ClientState.Connected && _client.Reconnects == 1));
        }
    }

    private void Close()
    {
        Wait(_client!.DisposeAsync().AsTask());
        Wait(_server!.DisposeAsync().AsTask());
    }

    /// <summary>Waits on this thread, and does the work of pumped hosts on a thread without ambient state.</summary>
    private T Wait<T>(Task<T> task)
    {
        Wait((Task)task);
        return task.GetAwaiter().GetResult();
    }

    private void Wait(Task task)
    {
        while (!task.Wait(TimeSpan.FromMilliseconds(ServerOptions.IsPumped ? 5 : 60_000)))
        {
            Assert.True(ServerOptions.IsPumped, "The call did not end in time.");
            using (ExecutionContext.SuppressFlow())
            {
                Task.Run(() =>
                {
                    _server?.Pump();
                    _client?.Pump();
                }).GetAwaiter().GetResult();
            }
        }

        task.GetAwaiter().GetResult();
    }

    private void Observe(string call)
    {
        _called[call] = true;
        if (s_local.Value is not null)
            _seen.Enqueue($"{call}: async local");
        if (Activity.Current?.OperationName == nameof(CallerTests))
            _seen.Enqueue($"{call}: activity");
        if (CultureInfo.CurrentCulture.Name == Culture || CultureInfo.CurrentUICulture.Name == Culture)
            _seen.Enqueue($"{call}: culture");
    }

    /// <summary>Runs code on a thread with an async local, an activity and a culture.</summary>
    /// <returns>A reference to the value of the async local, which nothing else refers to.</returns>
    private static WeakReference RunUnderAmbientState(Action action)
    {
        WeakReference? value = null;
        OtherThread.Run(() =>
        {
            value = SetValue();
            using var activity = new Activity(nameof(CallerTests)).Start();
            CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = CultureInfo.GetCultureInfo(Culture);
            action();
        });
        return value!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference SetValue()
    {
        var value = new object();
        s_local.Value = value;
        return new WeakReference(value);
    }

    private static Task AssertCollectedAsync(WeakReference value) => Signal.UntilAsync(() =>
    {
        FullCollection.Run();
        return !value.IsAlive;
    });
}

[Message(9101)]
public readonly record struct AmbientEvent(int Number);

[Message(9102)]
public readonly record struct AmbientUpdate(int Number);

[Message(9103)]
public sealed record AmbientQuestion(int Number) : IRequest<AmbientAnswer>;

[Message(9104)]
public sealed record AmbientAnswer(int Number);
