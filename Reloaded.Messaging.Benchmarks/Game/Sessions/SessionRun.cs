using System;
using System.Diagnostics;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>A server and its clients in this process. Each client has a separate TCP connection, key exchange, keys and subscription.</summary>
/// <remarks>Uses TCP over loopback, as clients of other machines would use TCP. A session is established when it has the reply to its subscription.</remarks>
public sealed class SessionRun(int sessions, int seconds) : IAsyncDisposable
{
    private const int AtOnce = 32; // enough connections at the same time to keep all cores busy; further ones would only wait

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestDelay = TimeSpan.FromSeconds(5);

    private readonly MessageHostOptions _options = new()
    {
        Token = RandomNumberGenerator.GetBytes(32),
        Protection = ProtectionOptions.WithToken(),
        Limits = new HostLimits { MaxPeers = sessions + AtOnce },
    };

    private readonly MessageClient?[] _clients = new MessageClient?[sessions];
    private PeerContexts<Subscription> _subscriptions = null!;
    private PeerGroup _subscribers = null!;
    private MessageServer _server = null!;

    public ReceiptBoard Board { get; } = new(sessions, seconds);

    public double EstablishSeconds { get; private set; }

    /// <summary>The number of cores used while sessions were established.</summary>
    public double EstablishCores { get; private set; }

    /// <summary>The number of cores used while notifications were sent.</summary>
    public double WindowCores { get; private set; }

    /// <summary>The bytes of the managed heap per session, for client and server together.</summary>
    public double HeapBytesEach { get; private set; }

    /// <summary>The bytes of resident memory per session, for client and server together, without the socket buffers of the kernel.</summary>
    public double ResidentBytesEach { get; private set; }

    public async Task EstablishAsync(Action<int> progress)
    {
        _server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Serve, _options);
        for (var i = 0; i < 2 * AtOnce; i++) // so that all code is compiled
            await (await MessageHost.ConnectAsync(_server.Endpoint, options: _options)).DisposeAsync();

        var (heap, resident) = (GC.GetTotalMemory(forceFullCollection: true), Environment.WorkingSet);
        var (watch, cpu) = (Stopwatch.StartNew(), Environment.CpuUsage.TotalTime);
        var (next, established) = (-1, 0);
        await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(_ => Task.Run(ConnectAsync)));
        EstablishSeconds = watch.Elapsed.TotalSeconds;
        EstablishCores = (Environment.CpuUsage.TotalTime - cpu) / watch.Elapsed;
        HeapBytesEach = (GC.GetTotalMemory(forceFullCollection: true) - heap) / (double)sessions;
        ResidentBytesEach = (Environment.WorkingSet - resident) / (double)sessions;

        async Task ConnectAsync()
        {
            while (Interlocked.Increment(ref next) is var session && session < sessions)
            {
                _clients[session] = await SubscribeAsync(session);
                progress(Interlocked.Increment(ref established));
            }
        }
    }

    /// <summary>Changes the value once a second, and notifies every session.</summary>
    public async Task WriteAsync(Action<int> progress)
    {
        var (watch, cpu) = (Stopwatch.StartNew(), Environment.CpuUsage.TotalTime);
        using var timer = new PeriodicTimer(s_interval);
        for (var sequence = 0; sequence < seconds; sequence++)
        {
            foreach (var peer in _subscribers)
                peer.Send(new ValueChanged(_subscriptions.Of(peer).Session, sequence, ReceiptBoard.ValueOf(sequence), Stopwatch.GetTimestamp()));
            await timer.WaitForNextTickAsync();
            progress(sequence + 1);
        }

        WindowCores = (Environment.CpuUsage.TotalTime - cpu) / watch.Elapsed;
        var last = Stopwatch.StartNew(); // waits for late notifications; lost ones never arrive, so the wait is limited
        while (Board.Delivered < Board.Expected && last.Elapsed < s_longestDelay)
            await timer.WaitForNextTickAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_clients.OfType<MessageClient>().Select(static client => client.DisposeAsync().AsTask()));
        await _server.DisposeAsync();
    }

    private void Serve(MessageServer server)
    {
        _subscribers = new PeerGroup(server);
        _subscriptions = server.AddContext(static _ => default(Subscription));
        server.OnRequest((in Subscribe subscribe, Peer from) =>
        {
            _subscriptions.Of(from).Session = subscribe.Session;
            _subscribers.Join(from);
            return new Subscribed(subscribe.Session);
        });
    }

    private async Task<MessageClient> SubscribeAsync(int session)
    {
        var client = await MessageHost.ConnectAsync(
            _server.Endpoint,
            client => client.On((in ValueChanged change, Peer _) => Board.Note(session, in change)),
            _options);
        var subscribed = await client.RequestAsync<Subscribe, Subscribed>(new Subscribe(session), TimeSpan.FromSeconds(30));
        return subscribed.Session == session ? client : throw new InvalidOperationException($"Session {session} subscribed, but the reply is for session {subscribed.Session}.");
    }

    private struct Subscription
    {
        public int Session;
    }
}
