using System.Globalization;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>A server and some clients exchange events, requests and streams, while the network and the processes fail.</summary>
internal sealed class HostScenario
{
    private const int Port = 5000;

    private readonly Dictionary<string, byte[]> _files = [];
    private readonly Flows _flows = new();
    private readonly Ledger _ledger = new();
    private readonly Ledger _loads = new();
    private readonly List<Participant> _clients = [];
    private readonly HashSet<Participant> _killed = [];
    private readonly MessageHostOptions _serverOptions;
    private readonly MessageHostOptions _clientOptions;
    private readonly bool _isUdp = World.Random.Chance(0.3);
    private readonly bool _isSlow = World.Random.Chance(0.3); // a pump that reads a few messages a second
    private readonly bool _hasMods = World.Random.Chance(0.3);
    private readonly bool _isTight; // little room for messages that wait
    private readonly IReadOnlyList<Fault> _faults;
    private readonly bool _isProtected;
    private readonly int _maxStreams;
    private readonly int _updateInterval;
    private readonly int _outstanding = MessagePool.GetStatistics().Outstanding;
    private Participant _server;

    private HostScenario()
    {
        var random = World.Random;
        _faults = Faults.Draw(random, _isUdp && random.Chance(0.25) ? Faults.Kind.Rebind : null);
        _isProtected = random.Chance(_isUdp ? 0.5 : 0.25);
        var secret = new byte[32];
        var protection = _isProtected ? ProtectionOptions.WithSecret(secret) : null;
        var token = random.Chance(0.25) ? new byte[32] : [];
        var ping = TimeSpan.FromSeconds(_isUdp ? 0.5 : 1); // at a loss of 5 %, six pings in a row are lost in 1 of 60 million cases
        var keepAlive = TimeSpan.FromSeconds(random.Chance(0.5) ? 3 : 15);
        _isTight = random.Chance(0.5);
        var limits = new HostLimits { MaxPendingBytes = _isTight ? 4096 : 4 << 20 };
        _serverOptions = new MessageHostOptions
        {
            IsPumped = _isSlow || random.Chance(0.2),
            PumpCapacity = _isSlow ? 8 : 8192,
            Protection = protection,
            Token = token,
            Limits = limits with { MaxStreams = _maxStreams = random.Chance(0.2) ? 1 + random.Next(3) : limits.MaxStreams },
            KeepAliveTimeout = keepAlive,
            PingInterval = ping,
        };
        var reconnects = random.Chance(0.6);
        _clientOptions = new MessageHostOptions
        {
            Protection = protection,
            Token = token,
            Limits = limits,
            KeepAliveTimeout = keepAlive,
            PingInterval = ping,
            Reconnect = reconnects ? new ReconnectOptions { ResendsRequests = random.Chance(0.5), MaxDelay = TimeSpan.FromSeconds(1) } : null,
        };
        if (_isUdp)
        {
            Network.Loss = random.Next(4) switch { 0 => 0, 1 => 0.01, 2 => 0.05, _ => HasFaults ? 0.2 : 0.02 };
            Network.Duplication = random.Chance(0.3) ? 0.05 : 0;
            Network.Lateness = random.Chance(0.3) ? 0.05 : 0;
        }

        _updateInterval = random.Chance(0.2) ? 5 + random.Next(30) : 0;
        _server = CreateServer();
        World.Note($"world: {(_isUdp ? $"udp, loss {Network.Loss}, duplication {Network.Duplication}, late {Network.Lateness}" : "tcp")}, faults: {string.Join(", ", _faults.Select(static fault => fault.Kind))}, protected {_isProtected}, token {token.Length > 0}, pumped {_serverOptions.IsPumped}, slow {_isSlow}, updates every {_updateInterval} ms, tight {_isTight}, streams {_maxStreams}, reconnect {reconnects}, mods {_hasMods}, resend {_clientOptions.Reconnect?.ResendsRequests}, room {Network.Room}, delay {Network.MinDelay / 10} us, jitter {Network.Jitter / 10} us");
    }

    /// <summary>Whether a connection may end. A protected connection over UDP survives another port. Mods with different layouts end it.</summary>
    private bool HasFaults => _hasMods || _faults.Any(fault => fault.Kind != Faults.Kind.Rebind || !_isUdp || !_isProtected);

    private MessageEndpoint Endpoint => _isUdp ? MessageEndpoint.Udp(Port) : MessageEndpoint.Tcp(Port);

    public static Task RunAsync() => new HostScenario().RunWorldAsync();

    private async Task RunWorldAsync()
    {
        World.After(TimeSpan.FromMinutes(15).Ticks, null, () => World.Fail(new LawException(LawNames.NoEndlessWait, $"The world is still running after 15 minutes. Open requests: {string.Join(", ", _clients.Select(static client => client.OpenRequests))}.")));
        await StartServerAsync().ConfigureAwait(false);
        var programs = new List<Task>();
        var count = 1 + World.Random.Next(3);
        for (var i = 1; i <= count; i++)
        {
            var client = new Participant(i, _ledger, _loads, _files, _flows) { HasMods = _hasMods, MaxStreams = _clientOptions.Limits.MaxStreams };
            _clients.Add(client);
            programs.Add(client.Process.RunAsync(() => RunClientAsync(client)));
        }

        await InjectAsync().ConfigureAwait(false);
        await WhenDoneAsync(programs).ConfigureAwait(false);
        await CheckProgressAsync().ConfigureAwait(false);
        await CheckStreamsAsync().ConfigureAwait(false);
        await EndAsync().ConfigureAwait(false);
        CheckEnd();
    }

    private Participant CreateServer() => new(0, _ledger, _loads, _files, _flows) { UpdateInterval = _updateInterval, HasMods = _hasMods, MaxStreams = _maxStreams };

    private async Task StartServerAsync()
    {
        var server = _server;
        await server.ListenAsync(Endpoint, _serverOptions).ConfigureAwait(false);
        if (_serverOptions.IsPumped)
            _ = server.Process.RunAsync(() => PumpAsync(server));
        if (server.Mods is { } mods)
            _ = server.Process.RunAsync(() => mods.RunAsync(_isUdp));
    }

    private async Task PumpAsync(Participant server)
    {
        while (!server.IsDisposed)
        {
            server.IsPumping = true;
            server.Host!.Pump(PumpBudget.Messages(1 + World.Random.Next(20)));
            server.IsPumping = false;
            await World.DelayAsync(_isSlow ? 400 : 16).ConfigureAwait(false);
        }
    }

    private async Task RunClientAsync(Participant client)
    {
        if (World.Random.Chance(0.3))
            await World.DelayAsync(World.Random.Next(3000)).ConfigureAwait(false); // it connects amid the faults
        try
        {
            await client.ConnectAsync(Endpoint, _clientOptions).ConfigureAwait(false);
        }
        catch (Exception e) when (HasFaults && e is TransportClosedException or HandshakeException) // a handshake does not survive another port
        {
            Law.Require(_clientOptions.Reconnect is null || e is HandshakeException { Reason: DisconnectReason.WrongContract }, LawNames.Reconnect, $"{client.Process.Name} gives up: {e.Message}");
            World.Note($"cannot connect: {e.Message}");
            return;
        }

        var running = new List<Task>();
        var random = World.Random;
        if (client.Mods is { } mods)
            running.Add(mods.RunAsync(_isUdp));
        for (var bursts = random.Chance(0.1) ? 3 : 0; bursts > 0; bursts--)
            await SendBurstAsync(client).ConfigureAwait(false);
        for (var left = 5 + random.Next(40); left > 0; left--)
        {
            switch (random.Next(10))
            {
                case < 4:
                    await client.SendAsync(0, random.Next(random.Chance(_isTight ? 0.4 : 0.05) ? (_isUdp ? 1_000 : 20_000) : 400), message => client.Client.SendAsync(message)).ConfigureAwait(false);
                    break;
                case 4:
                    await client.SendAsync(0, random.Next(100), message => new ValueTask<SendStatus>(client.Client.Send(message))).ConfigureAwait(false);
                    break;
                case 5 or 6:
                    running.Add(AskAsync(client, left));
                    break;
                case 7:
                    await AskAsync(client, left).ConfigureAwait(false);
                    break;
                case 8 when !_isUdp || random.Chance(0.5):
                    running.Add(random.Next(9) switch
                    {
                        0 or 1 => SendItemsAsync(client),
                        2 or 3 => ConverseAsync(client),
                        4 or 5 => WorkAsync(client),
                        6 => AskForOneReplyAsync(client),
                        _ => ReadStreamAsync(client),
                    });
                    break;
                case 9 when random.Chance(0.2):
                    running.Add(SendFileAsync(client, left));
                    break;
                case 8:
                    await client.SendLoadAsync(random.Next(random.Chance(0.2) ? 200_000 : 2_000)).ConfigureAwait(false);
                    break;
                default:
                    await World.DelayAsync(random.Next(random.Chance(0.1) ? 3000 : 100)).ConfigureAwait(false);
                    break;
            }
        }

        await Task.WhenAll(running).ConfigureAwait(false);
    }

    /// <summary>Sends more than the other side reads at once.</summary>
    private static async Task SendBurstAsync(Participant client)
    {
        for (var left = World.Random.Next(200); left > 0; left--)
            await client.SendAsync(0, World.Random.Next(900), message => client.Client.SendAsync(message)).ConfigureAwait(false);
    }

    private async Task AskAsync(Participant client, int number)
    {
        var random = World.Random;
        var kind = (AskKind)random.Next(5);
        var timeout = TimeSpan.FromMilliseconds(random.Chance(0.3) ? 1 + random.Next(300) : 5000);
        using var cancel = new CancellationTokenSource(random.Chance(0.1) ? TimeSpan.FromMilliseconds(random.Next(200)) : Timeout.InfiniteTimeSpan, World.Time);
        var status = await client.AskAsync(new Ask(client.Number, number, kind, 1 + random.Next(200)), timeout, cancel.Token).ConfigureAwait(false);
        var isReplied = kind == AskKind.Reply && _isUdp && timeout.TotalSeconds >= 5 && !HasFaults && !_isSlow && !cancel.IsCancellationRequested;
        Law.Require(!isReplied || status is RequestStatus.Replied or RequestStatus.Full, LawNames.Progress, $"A request ended as {status}, and nothing had failed.");
        if (status == RequestStatus.Replied)
            Law.Require(kind is not (AskKind.Throw or AskKind.Never), LawNames.Reply, $"A request whose handler does not reply ({kind}) was replied.");
    }

    /// <summary>Adds the items of a stream, which sometimes fill many blocks, and whose source sometimes fails.</summary>
    /// <returns>The number of the flow, and the number of its items.</returns>
    private (int Flow, int To) NewFlow(Participant client, bool mayFail, bool isRead = true)
    {
        var random = World.Random;
        var isLarge = random.Chance(0.2) && !client.IsQuiet; // the last calls are small
        var (to, fails) = (random.Next(isLarge ? 100 : 200), mayFail && random.Chance(0.1));
        return (_flows.Add(new Flow(isLarge ? _isTight ? 300 : 8_000 : 0, Math.Min(64 * 1024, _clientOptions.Limits.MaxPendingBytes / 4), fails ? random.Next(to + 1) : -1, isRead)), to);
    }

    private async Task ReadStreamAsync(Participant client)
    {
        var (flow, to) = NewFlow(client, mayFail: true);
        var next = 0;
        try
        {
            await foreach (var item in client.Client.StreamAsync<Count, Counted>(new Count(flow, to)).ConfigureAwait(false))
            {
                _flows[flow].NoteConsumed(item.Number);
                next++;
                if (World.Random.Chance(0.01))
                    return;
                if (World.Random.Chance(0.02))
                    await World.DelayAsync(World.Random.Next(300)).ConfigureAwait(false);
            }

            Law.Require(next == to && !_flows[flow].HasFailed, LawNames.StreamComplete, $"The stream ended after {next} of {to} items.");
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException or TimeoutException)
        {
            World.Note($"stream ended: {e.Message}");
            CheckRoom(client, e);
            if (e is RequestFaultException { Code: FaultCode.HandlerFailed })
                _flows[flow].NoteFault();
        }
    }

    /// <summary>Sends a request for one reply to the handler of a stream. No call reads the stream, which may be opened after the request has ended.</summary>
    private async Task AskForOneReplyAsync(Participant client)
    {
        var random = World.Random;
        var (flow, to) = NewFlow(client, mayFail: false, isRead: false);
        using var cancel = new CancellationTokenSource(random.Chance(0.3) ? TimeSpan.FromMilliseconds(random.Next(200)) : Timeout.InfiniteTimeSpan, World.Time);
        var result = await client.Client.TryRequestAsync<Count, Counted>(new Count(flow, to), TimeSpan.FromMilliseconds(1 + random.Next(500)), cancel.Token).ConfigureAwait(false);
        Law.Require(result.Status != RequestStatus.Replied, LawNames.Reply, "A request for one reply was replied with a stream.");
        if (result.Fault is { } fault)
            CheckRoom(client, fault);
    }

    /// <summary>Sends a request with items, which may be canceled, and of which the handler may read only some.</summary>
    private async Task SendItemsAsync(Participant client)
    {
        var random = World.Random;
        var taken = PickTaken();
        var (flow, to) = NewFlow(client, mayFail: true, isRead: taken > 0);
        using var cancel = new CancellationTokenSource(random.Chance(0.3) ? TimeSpan.FromMilliseconds(random.Next(500)) : Timeout.InfiniteTimeSpan, World.Time);
        try
        {
            var reply = await client.Client.RequestAsync(new Collect(flow, to, taken), client.CountAsync(new Count(flow, to), null), cancel.Token).ConfigureAwait(false);
            Law.Require(reply.Count == Math.Min(to, taken), LawNames.StreamComplete, $"The handler has read {reply.Count} of {to} items, and would read {taken}.");
        }
        catch (InvalidOperationException e) when (e.Message == "on purpose")
        {
            Law.Require(_flows[flow].HasFailed, LawNames.FaultSide, "A call throws the exception of its items, which have not failed.");
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException or OperationCanceledException)
        {
            World.Note($"items ended: {e.Message}");
            CheckRoom(client, e);
            CheckSide(e);
        }
    }

    /// <summary>Returns the number of items after which a reader leaves the loop: sometimes none, and mostly all.</summary>
    private static int PickTaken() => World.Random.Chance(0.3) ? World.Random.Next(World.Random.Chance(0.3) ? 2 : 200) : int.MaxValue;

    /// <summary>Sends items, and reads them back at the same time.</summary>
    private async Task ConverseAsync(Participant client)
    {
        var (taken, left, next) = (PickTaken(), PickTaken(), 0);
        var (flow, to) = NewFlow(client, mayFail: true, isRead: taken > 0);
        try
        {
            await foreach (var item in client.Client.StreamAsync(new Converse(flow, to, taken), client.CountAsync(new Count(flow, to), null)).ConfigureAwait(false))
            {
                Law.Require(item.Number == next, LawNames.StreamOrder, $"Item {item.Number} follows item {next - 1}.");
                if (++next > left)
                    return;
            }

            Law.Require(next == Math.Min(to, taken), LawNames.StreamComplete, $"The stream ended after {next} of {Math.Min(to, taken)} items.");
        }
        catch (InvalidOperationException e) when (e.Message == "on purpose")
        {
            Law.Require(_flows[flow].HasFailed, LawNames.FaultSide, "A loop throws the exception of its sent items, which have not failed.");
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException or TimeoutException)
        {
            World.Note($"conversation ended: {e.Message}");
            CheckRoom(client, e);
            CheckSide(e);
        }
    }

    /// <summary>Sends a request with progress, which may be canceled.</summary>
    private async Task WorkAsync(Participant client)
    {
        var random = World.Random;
        var (to, fails) = (random.Next(50), random.Chance(0.2));
        var reports = new WorkReports(client);
        var hasReports = _maxStreams > 3 || client.IsQuiet; // otherwise, the server may refuse them
        using var cancel = new CancellationTokenSource(random.Chance(0.3) ? TimeSpan.FromMilliseconds(random.Next(500)) : Timeout.InfiniteTimeSpan, World.Time);
        try
        {
            var reply = await client.Client.RequestAsync(new Work(to, fails), reports, cancel.Token).ConfigureAwait(false);
            reports.End(hasReports ? reply.Count - 1 : null);
        }
        catch (RequestFaultException e) when (e.Code == 1000)
        {
            reports.End(hasReports ? to - 1 : null);
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException or OperationCanceledException)
        {
            World.Note($"work ended: {e.Message}");
            reports.End();
        }
    }

    private async Task SendFileAsync(Participant client, int number)
    {
        var content = new byte[World.Random.Next(World.Random.Chance(0.2) ? 400_000 : 20_000)];
        World.Random.NextBytes(content);
        var name = $"{client.Number}.{number}";
        using var source = new MemoryStream(content);
        try
        {
            await client.Client.SendFileAsync(source, name).ConfigureAwait(false);
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException or FileTransferException)
        {
            World.Note($"file {name} ended: {e.Message}");
            var isFull = (e.InnerException ?? e) is RequestFailedException { Status: RequestStatus.Full } or RequestFaultException;
            Law.Require(HasFaults || isFull, LawNames.NoHonestPeerEnded, $"The transfer of a file ended without a fault: {e.Message}");
            return;
        }

        Law.Require(_files.TryGetValue(name, out var received) && received.AsSpan().SequenceEqual(content), LawNames.FileComplete, $"The transfer of file {name} of {content.Length} bytes ended, and the receiver has {received?.Length.ToString(CultureInfo.InvariantCulture) ?? "no"} bytes, or other bytes.");
    }

    /// <summary>Lets the faults happen, and ends all of them.</summary>
    private async Task InjectAsync()
    {
        foreach (var fault in _faults)
        {
            await World.DelayAsync(fault.After).ConfigureAwait(false);
            var client = _clients[fault.Client % _clients.Count];
            switch (fault.Kind)
            {
                case Faults.Kind.Partition:
                    Network.Partition(fault.Length);
                    break;
                case Faults.Kind.Reset:
                    Network.ResetOne();
                    break;
                case Faults.Kind.Rebind:
                    Network.RebindAll();
                    break;
                case Faults.Kind.PauseServer:
                    await PauseAsync(_server, fault.Length).ConfigureAwait(false);
                    break;
                case Faults.Kind.PauseClient:
                    await PauseAsync(client, fault.Length).ConfigureAwait(false);
                    break;
                case Faults.Kind.KillClient:
                    Kill(client, fault.IsSilent);
                    break;
                case Faults.Kind.RestartServer:
                    if (fault.IsAmidHandshake)
                        await AmidHandshakeAsync().ConfigureAwait(false);
                    Kill(_server, isSilent: false);
                    _server = CreateServer();
                    await World.DelayAsync(fault.Length).ConfigureAwait(false);
                    await StartServerAsync().ConfigureAwait(false);
                    break;
            }
        }
    }

    /// <summary>Waits until a client has connected, and until some of the bytes of its handshake have arrived.</summary>
    private static async Task AmidHandshakeAsync()
    {
        await Task.WhenAny(Network.NextAccepted, World.DelayAsync(3000)).ConfigureAwait(false);
        var amid = new TaskCompletionSource();
        World.After(World.Random.Next(8) * Network.Delay() / 4, null, amid.SetResult);
        await amid.Task.ConfigureAwait(false);
    }

    private static async Task PauseAsync(Participant participant, int milliseconds)
    {
        if (participant.Process.IsDead)
            return;
        participant.Pause();
        await World.DelayAsync(milliseconds).ConfigureAwait(false);
        participant.Resume();
    }

    private void Kill(Participant participant, bool isSilent)
    {
        if (!_killed.Add(participant))
            return;
        World.Note($"{participant.Process.Name}: killed{(isSilent ? " silently" : "")}");
        participant.Process.Kill(isSilent);
    }

    private async Task WhenDoneAsync(List<Task> programs)
    {
        for (var i = 0; i < programs.Count; i++)
        {
            while (!programs[i].IsCompleted && !_killed.Contains(_clients[i]))
                await World.DelayAsync(50).ConfigureAwait(false);
            if (programs[i].IsCompleted)
                await programs[i].ConfigureAwait(false);
        }
    }

    private async Task CheckProgressAsync()
    {
        (Network.Loss, Network.Duplication, Network.Lateness) = (0, 0, 0);
        while (Network.IsPartitioned)
            await World.DelayAsync(50).ConfigureAwait(false);
        foreach (var client in _clients.Where(client => client.Host is not null && !_killed.Contains(client)))
        {
            await client.Process.RunAsync(async () =>
            {
                if (_clientOptions.Reconnect is not null)
                {
                    using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(60), World.Time);
                    try
                    {
                        await client.Client.WaitForConnectionAsync(limit.Token).ConfigureAwait(false);
                    }
                    catch (OperationCanceledException)
                    {
                        Law.Require(false, LawNames.Progress, $"{client.Process.Name} is {client.Client.State} 60 s after the last fault.");
                    }
                }
                else if (client.Client.State != ClientState.Connected)
                {
                    Law.Require(HasFaults, LawNames.NoHonestPeerEnded, $"{client.Process.Name} is {client.Client.State}, and nothing had failed.");
                    return;
                }

                RequestStatus status;
                var repetitions = 0;
                while ((status = await client.AskAsync(new Ask(client.Number, -1, AskKind.Reply, 0), TimeSpan.FromSeconds(_isSlow ? 120 : 20)).ConfigureAwait(false)) == RequestStatus.Full && repetitions++ < 300)
                    await World.DelayAsync(100).ConfigureAwait(false); // a large event waits before it
                var isLost = HasFaults && status is RequestStatus.Disconnected or RequestStatus.NotSent; // a silent end is noticed late
                Law.Require(status == RequestStatus.Replied || isLost, LawNames.Progress, $"A request of {client.Process.Name} after the last fault ended as {status}.");
            }).ConfigureAwait(false);
        }
    }

    /// <summary>Waits until all sources and handlers of streams have ended, while the connections stay, and then opens streams again.</summary>
    private async Task CheckStreamsAsync()
    {
        var all = _clients.Where(client => client.Host is not null && !_killed.Contains(client)).Append(_server).ToList();
        await WaitAsync().ConfigureAwait(false);
        all.ForEach(static participant => participant.IsQuiet = true);
        foreach (var client in all.Where(static client => client.Host is MessageClient { State: ClientState.Connected }))
        {
            foreach (var call in (Func<Participant, Task>[])[ReadStreamAsync, SendItemsAsync, ConverseAsync, WorkAsync, AskForOneReplyAsync])
            {
                await client.Process.RunAsync(() => call(client)).ConfigureAwait(false);
                await WaitAsync().ConfigureAwait(false);
            }
        }

        async Task WaitAsync()
        {
            await World.DelayAsync(2000).ConfigureAwait(false); // a pump may not have handled the last request yet
            for (var left = 600; left > 0 && all.Exists(static participant => participant.OpenStreams > 0); left--)
                await World.DelayAsync(200).ConfigureAwait(false);
            foreach (var participant in all)
                Law.Require(participant.OpenStreams == 0, LawNames.StreamEnd, $"{participant.Process.Name} has {participant.OpenSources} sources and handlers, and {participant.OpenStreams} streams and unanswered requests, 120 s after the last call has ended.");
        }
    }

    /// <summary>Checks that a call with items throws their exception. The handlers of items fail only because of it.</summary>
    private static void CheckSide(Exception failure) =>
        Law.Require(failure is not RequestFaultException { Code: FaultCode.HandlerFailed }, LawNames.FaultSide, "A call throws the fault of its handler, and not the exception of its items.");

    /// <summary>Checks that a stream is not refused while the client has no other one.</summary>
    private static void CheckRoom(Participant client, Exception refusal) =>
        Law.Require(!client.IsQuiet || refusal is not RequestFaultException { Code: FaultCode.TooManyStreams }, LawNames.Progress, $"{client.Process.Name} has no stream, and another one is refused: {refusal.Message}");

    private async Task EndAsync()
    {
        var all = _clients.Where(client => client.Host is not null && !_killed.Contains(client)).Append(_server).ToList();
        for (var i = all.Count - 1; i > 0; i--)
        {
            var j = World.Random.Next(i + 1);
            (all[i], all[j]) = (all[j], all[i]);
        }

        foreach (var participant in all)
        {
            if (participant.Number > 0 && World.Random.Chance(0.5))
                await participant.Process.RunAsync(() => SendBurstAsync(participant)).ConfigureAwait(false);
            await participant.DisposeAsync(World.Random.Chance(0.3)).ConfigureAwait(false);
            if (World.Random.Chance(0.5))
                await World.DelayAsync(World.Random.Next(_isSlow ? 30_000 : 2000)).ConfigureAwait(false);
        }

        await World.DelayAsync(20_000).ConfigureAwait(false); // what still runs ends
    }

    private void CheckEnd()
    {
        foreach (var participant in _clients.Append(_server).Where(participant => participant.Host is not null && !_killed.Contains(participant)))
        {
            var statistics = participant.Host!.GetStatistics();
            Law.Require(statistics.Peers == 0, LawNames.Memory, $"{participant.Process.Name} has {statistics.Peers} peers after disposal.");
            Law.Require(statistics.PendingBytes == 0, LawNames.Memory, $"{participant.Process.Name} has {statistics.PendingBytes} pending bytes after disposal.");
            Law.Require(participant.OpenSources == 0, LawNames.StreamEnd, $"{participant.Process.Name} has {participant.OpenSources} sources and handlers of streams that have not ended.");
            Law.Require(participant.OpenRequests == 0, LawNames.RequestTime, $"{participant.Process.Name} has {participant.OpenRequests} requests that have not ended.");
        }

        Law.Require(HasFaults || Network.ResetsDiscard || Network.AbandonedBytes == 0, LawNames.ArrivedIsRead, $"{Network.AbandonedBytes} bytes had arrived when their connection was closed.");
        if (_killed.Count > 0)
            return; // the counters of a dead process are lost
        Law.Require(_ledger.CountPeers() == 0, LawNames.PeerLife, $"{_ledger.CountPeers()} peers have not ended after all hosts were disposed.");
        var outstanding = MessagePool.GetStatistics().Outstanding - _outstanding;
        Law.Require(outstanding == 0, LawNames.Memory, $"{outstanding} pooled messages are still in use after all hosts were disposed.");
        var lost = _clients.Append(_server).Sum(static participant => participant.ReportedLost);
        foreach (var direction in _ledger.Directions)
        {
            var missing = direction.Sent - direction.Count;
            Law.Require(_isUdp || missing <= lost + Network.UnreadBytes, LawNames.NothingUncounted, $"{missing} of {direction.Sent} events from {direction.Sender} to {direction.Receiver} were neither handled nor counted ({lost} counted, {Network.UnreadBytes} bytes were lost in the network).");
        }
    }
}
