using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Services;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>A message that opens a stream.</summary>
[Message(84)]
public readonly record struct Opening(int Number);

/// <summary>Every way by which a peer reaches code of the program passes the filters, the rate limit and the login. The ways are found by reflection, so that a new one needs an entry here.</summary>
public sealed class FilterCoverageTests
{
    /// <summary>The ways that filters surround: how a server registers a callback, and how a client reaches it.</summary>
    private static readonly Dictionary<string, (Action<MessageServer, Action> Register, Func<MessageClient, Task> Reach)> s_ways = new()
    {
        ["On"] = ((server, called) => server.On<Note>(_ => called()), static async client => await client.Server.SendAsync(new Note(""))),
        ["OnRequest"] = ((server, called) => server.OnRequest((Ping ping) => Return(called, new Pong(ping.Number))), static async client => await client.RequestAsync<Ping, Pong>(default)),
        ["OnStream"] = ((server, called) => server.OnStream<Opening, Pong>((_, _) => Items(called)), static client => DrainAsync(client.StreamAsync<Opening, Pong>(default))),
        ["OnFile"] = (
            (server, called) => server.OnFile((offer, token) => Return(called, offer.SaveAsync(new MemoryStream(), cancellationToken: token))),
            static client => client.SendFileAsync(new MemoryStream([1]), "bytes")),
        ["OnFileRequest"] = (
            (server, called) => server.OnFileRequest((_, _) => Return(called, new MemoryStream([1]))),
            static client => client.Server.ReceiveFileAsync("bytes", new MemoryStream())),
        ["AddService"] = ((server, called) => server.AddService<IOther>(new Other(called)), static client => client.GetService<IOther>().CountAsync(1)),
        ["Events"] = ((server, called) => _ = ReadAsync(server.Events<Note>(), called), static async client => await client.Server.SendAsync(new Note(""))),
    };

    /// <summary>The members of hosts that no filter surrounds, because they give a peer no callback of the program, or because the login itself is the check.</summary>
    private static readonly string[] s_unfiltered = ["AddFilter", "AllowInspection", "ConnectAsync", "ListenAsync", "OnAuthenticate", "Tap"];

    public static TheoryData<string> Ways => [.. s_ways.Keys];

    /// <summary>The ways whose first message is one of the program. A file is announced by contracts of the library first, and contracts over the rate end the connection.</summary>
    public static TheoryData<string> WaysOfMessages => [.. s_ways.Keys.Where(static way => !way.StartsWith("OnFile", StringComparison.Ordinal))];

    [Fact]
    public void Every_member_of_a_host_that_takes_a_callback_is_a_known_way()
    {
        var members = ((Type[])[typeof(MessageHost), typeof(MessageServer), typeof(MessageClient), typeof(Peer)])
            .SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static))
            .Concat(typeof(MessageHost).Assembly.GetExportedTypes().SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Static))
                .Where(static method => method.IsDefined(typeof(ExtensionAttribute)) && method.GetParameters()[0].ParameterType is var first && (typeof(MessageHost).IsAssignableFrom(first) || typeof(HandlerForms<Peer>).IsAssignableFrom(first))))
            .Where(static method => !method.IsSpecialName && (IsRegistration(method.ReturnType) || method.GetParameters().Any(static parameter => typeof(Delegate).IsAssignableFrom(parameter.ParameterType))))
            .Select(static method => method.Name)
            .Distinct()
            .Order(StringComparer.Ordinal);

        Assert.Equal(s_ways.Keys.Concat(s_unfiltered).Order(StringComparer.Ordinal), members);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Filter_that_refuses_everything_keeps_peers_from_a_way(string way)
    {
        var (called, filtered) = (0, new ConcurrentQueue<uint>());
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server =>
        {
            server.AddFilter(call =>
            {
                filtered.Enqueue(call.Contract.Type);
                throw new RequestFaultException(1002, "no");
            });
            s_ways[way].Register(server, () => Interlocked.Increment(ref called));
        });

        await IgnoreAsync(s_ways[way].Reach(hosts.Client));
        await Signal.UntilAsync(() => !filtered.IsEmpty);

        Assert.Single(filtered);
        Assert.Equal(0, called);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Way_without_a_filter_reaches_the_callback(string way)
    {
        var called = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => s_ways[way].Register(server, () => called.TrySetResult(true)));

        await s_ways[way].Reach(hosts.Client).InTime();

        Assert.True(await called.Task.InTime());
    }

    [Theory]
    [MemberData(nameof(WaysOfMessages))]
    public async Task Message_over_the_rate_does_not_reach_the_callback_of_a_way(string way)
    {
        var called = 0;
        var options = new MessageHostOptions
        {
            Limits = new HostLimits { MessagesPerSecond = 1, OverflowAction = OverflowAction.Drop },
            TimeProvider = new StoppedTime(),
            PingInterval = TimeSpan.FromHours(1),
            KeepAliveTimeout = TimeSpan.FromHours(3),
        };
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => s_ways[way].Register(server, () => Interlocked.Increment(ref called)), serverOptions: options);
        while (Refused() == 0)
        {
            var received = Received();
            Assert.Equal(SendStatus.Sent, await hosts.Client.Server.SendAsync(new Note("takes the rate")));
            await Signal.UntilAsync(() => Received() > received);
        }

        var (refused, before) = (Refused(), called);

        _ = IgnoreAsync(s_ways[way].Reach(hosts.Client));
        await Signal.UntilAsync(() => Refused() > refused);

        Assert.Equal(before, called);

        long Received() => Refused() + Volatile.Read(ref called) + hosts.Server.GetCount(DispatchStatus.NoHandler);
        long Refused() => hosts.Server.GetStatistics().OverMessageRate + hosts.Server.GetCount(DisconnectReason.TooManyMessages); // a contract over the rate ends the connection
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Peer_without_a_login_does_not_reach_the_callback_of_a_way(string way)
    {
        var called = 0;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server =>
        {
            server.OnAuthenticate<Login, Welcome>((_, _, _) => new(new Welcome("")));
            s_ways[way].Register(server, () => Interlocked.Increment(ref called));
        });

        await IgnoreAsync(s_ways[way].Reach(hosts.Client));
        await Signal.UntilAsync(() => hosts.Server.GetCount(DisconnectReason.NotAuthenticated) == 1);

        Assert.Equal(0, called);
    }

    [Fact]
    public async Task Requests_of_the_library_that_pass_no_filter_are_those_that_call_no_callback()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server =>
        {
            foreach (var (way, (register, _)) in s_ways)
            {
                if (way != "Events")
                    register(server, static () => { });
            }

            server.AllowInspection();
        });
        var types = typeof(LibraryTypes).GetFields().Where(static field => field is { IsLiteral: true, Name: not nameof(LibraryTypes.First) }).ToDictionary(static field => (uint)field.GetRawConstantValue()!, static field => field.Name);
        var handled = types.Where(type => hosts.Server.Dispatcher.HasHandler(type.Key, out _)).ToArray();

        Assert.Equal(["FileOffered", "FileStart", "FileWanted", "InspectHost", "ItemPull", "ReportPull", "StreamPull"], handled.Select(static type => type.Value).Order(StringComparer.Ordinal));
        Assert.Equal(["FileStart", "InspectHost", "ItemPull", "ReportPull", "StreamPull"], handled.Where(static type => LibraryTypes.CallsNoCallback(type.Key)).Select(static type => type.Value).Order(StringComparer.Ordinal));
    }

    private static async Task DrainAsync(IAsyncEnumerable<Pong> items)
    {
        await foreach (var _ in items)
        {
        }
    }

    private static bool IsRegistration(Type type) => type == typeof(HandlerRegistration) || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(EventStream<>));

    private static MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"ways-{Guid.NewGuid():N}");

    private static T Return<T>(Action called, T value)
    {
        called();
        return value;
    }

    private static async IAsyncEnumerable<Pong> Items(Action called)
    {
        called();
        await Task.Yield();
        yield return default;
    }

    private static async Task ReadAsync(EventStream<Note> events, Action called)
    {
        await foreach (var _ in events)
            called();
    }

    /// <summary>Waits for the end of a call, whose failure is expected.</summary>
    private static async Task IgnoreAsync(Task call)
    {
        try
        {
            await call.InTime();
        }
        catch (Exception e) when (e is RequestFaultException or RequestFailedException or TimeoutException or OperationCanceledException)
        {
            // the callback must not be reached, however the caller learns it
        }
    }

    private sealed class StoppedTime : TimeProvider
    {
        public override long GetTimestamp() => 0;
    }

    private sealed class Other(Action called) : IOther
    {
        public Task<int> CountAsync(int atLeast) => Task.FromResult(Return(called, atLeast));
    }
}
