using System.Diagnostics;
using System.Globalization;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Clients in this process and their server in another process. Each client has a separate connection, key exchange, keys and subscription.</summary>
/// <remarks>Uses the loopback, as clients of other machines would use the network. A session is established when it has the reply to its subscription.</remarks>
public sealed class SessionRun : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestDelay = TimeSpan.FromSeconds(5);

    private readonly OtherProcess _server;
    private readonly MessageEndpoint _endpoint;
    private readonly MessageHostOptions _options;
    private readonly SessionAddress _address;
    private readonly ReceiptBoard _board;
    private readonly int _sessions;
    private readonly int _seconds;

    private SessionRun(OtherProcess server, SessionAddress address, SessionKind kind, int sessions, int seconds)
    {
        (_server, _address, _sessions, _seconds) = (server, address, sessions, seconds);
        _board = new ReceiptBoard(sessions, seconds);
        (_endpoint, _options) = (SessionServer.EndpointOf(kind, address.Port), SessionServer.OptionsFor(address.Token, sessions));
    }

    /// <summary>Starts the process of the server.</summary>
    /// <param name="sessions">The number of sessions.</param>
    /// <param name="seconds">The number of notifications to each session.</param>
    /// <param name="kind">The kind of the sessions.</param>
    public static async Task<SessionRun> StartAsync(int sessions, int seconds, SessionKind kind)
    {
        var (server, address) = await SessionServer.StartAsync(sessions + Establishment.Beside, kind);
        return new SessionRun(server, address, kind, sessions, seconds);
    }

    /// <summary>Establishes sessions with the host, and notifies each of them once a second.</summary>
    /// <param name="showEstablished">Called with the number of sessions so far.</param>
    /// <param name="showSecond">Called with the number of notifications so far.</param>
    public async Task<SessionResult> MeasureAsync(Action<int>? showEstablished = null, Action<int>? showSecond = null)
    {
        await using var all = await Establishment.MeasureAsync(_server, _sessions, SubscribeAsync, showEstablished);
        var cores = await NotifyAsync(showSecond);
        return ResultOf(all, cores);
    }

    /// <summary>Establishes sessions with the server of TLS alone, which sends no notifications.</summary>
    public async Task<SessionResult> MeasureTlsAsync()
    {
        await using var all = await Establishment.MeasureAsync(_server, _sessions, async session => await TlsSession.ConnectAsync(_address, session));
        return ResultOf(all, notifyingCores: 0);
    }

    /// <summary>Changes the value once a second, and notifies every session.</summary>
    /// <returns>The number of cores used, by both processes.</returns>
    private async Task<double> NotifyAsync(Action<int>? progress)
    {
        if (_seconds == 0)
            return 0;
        var (watch, processorTime) = (Stopwatch.StartNew(), Establishment.ProcessorTime(_server));
        using var timer = new PeriodicTimer(s_interval);
        for (var sequence = 0; sequence < _seconds; sequence++)
        {
            await _server.AskAsync(sequence.ToString(CultureInfo.InvariantCulture));
            await timer.WaitForNextTickAsync();
            progress?.Invoke(sequence + 1);
        }

        var cores = (Establishment.ProcessorTime(_server) - processorTime) / watch.Elapsed;
        var last = Stopwatch.StartNew(); // waits for late notifications; lost ones never arrive, so the wait is limited
        while (_board.Delivered < _board.Expected && last.Elapsed < s_longestDelay)
            await timer.WaitForNextTickAsync();
        return cores;
    }

    private SessionResult ResultOf(Establishment all, double notifyingCores)
    {
        var (marked, incomplete) = _board.Check();
        var (median, late) = _board.GetMilliseconds();
        return new SessionResult(
            all.Seconds,
            _sessions / all.Seconds,
            all.Cores,
            all.HeapBytesEach / 1024,
            all.ResidentBytesEach / 1024,
            _board.Expected,
            marked,
            incomplete,
            _board.Repeated,
            _board.Wrong,
            median,
            late,
            notifyingCores);
    }

    public void Dispose() => _server.Dispose();

    private async Task<IAsyncDisposable> SubscribeAsync(int session)
    {
        var client = await MessageHost.ConnectAsync(
            _endpoint,
            client => client.On((in ValueChanged change, Peer _) => _board.Note(session, in change)),
            _options);
        var subscribed = await client.RequestAsync<Subscribe, Subscribed>(new Subscribe(session), TimeSpan.FromSeconds(30));
        return subscribed.Session == session ? client : throw new InvalidOperationException($"Session {session} subscribed, but the reply is for session {subscribed.Session}.");
    }
}
