using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>A program with one host. All its callbacks check the laws that hold for every callback.</summary>
/// <param name="number">The number of the program; 0 for the server.</param>
/// <param name="ledger">The ledger of the world.</param>
/// <param name="loads">The ledger of the large events.</param>
/// <param name="files">Receives the files that were saved, by their names.</param>
/// <param name="flows">The items of the streams.</param>
internal sealed class Participant(int number, Ledger ledger, Ledger loads, Dictionary<string, byte[]> files, Flows flows)
{
    private readonly Dictionary<Peer, int> _updates = [];
    private readonly Dictionary<Peer, List<CancellationToken>> _streams = [];
    private long _pausedAt;

    /// <summary>The time between two updates that each peer gets from the moment at which it connects, in milliseconds; 0 for no updates.</summary>
    public int UpdateInterval { get; init; }

    public int Number { get; } = number;

    /// <summary>The mods of the program; <c>null</c> for none.</summary>
    public Mods? Mods { get; private set; }

    public SimulatedProcess Process { get; } = new(number == 0 ? "server" : $"client {number}");

    public MessageHost? Host { get; private set; }

    public MessageClient Client => (MessageClient)Host!;

    public bool IsDisposed { get; private set; }

    /// <summary>The time for which the process was paused so far, in ticks.</summary>
    public long Paused { get; private set; }

    /// <summary>The events that the host reported as lost or unhandled.</summary>
    public int ReportedLost { get; private set; }

    /// <summary>The exceptions that handlers of this program threw on purpose.</summary>
    public int ThrownOnPurpose { get; private set; }

    public int Failures { get; private set; }

    /// <summary>The maximum number of streams that a peer may open on this host.</summary>
    public int MaxStreams { get; init; }

    /// <summary>Whether the program calls <see cref="MessageHost.Pump"/> now.</summary>
    public bool IsPumping { get; set; }

    /// <summary>Whether no call is open any more, so that each stream has room.</summary>
    public bool IsQuiet { get; set; }

    /// <summary>Whether the program has mods.</summary>
    public bool HasMods { get; init; }

    /// <summary>The sources and handlers of streams and of requests with progress that have not ended.</summary>
    public int OpenSources { get; private set; }

    /// <summary>The same, or the streams, the requests with reports and the unanswered requests that the host of the program still has.</summary>
    public int OpenStreams => Math.Max(OpenSources, (Host is MessageClient client ? [client.Server] : Host!.Peers).Sum(static peer => peer.OpenStreams + (peer.Reports?.Count ?? 0) + peer.Requests.Unanswered.Count));

    /// <summary>The requests that wait for their end.</summary>
    public int OpenRequests { get; private set; }

    public Task<MessageServer> ListenAsync(MessageEndpoint endpoint, MessageHostOptions options) => Process.RunAsync(async () =>
    {
        var server = await MessageHost.ListenAsync(endpoint, Configure, options).ConfigureAwait(false);
        Host = server;
        return server;
    });

    public Task<MessageClient> ConnectAsync(MessageEndpoint endpoint, MessageHostOptions options) => Process.RunAsync(async () =>
    {
        var client = await MessageHost.ConnectAsync(endpoint, Configure, options).ConfigureAwait(false);
        Host = client;
        return client;
    });

    public void Pause()
    {
        if (Process.IsPaused)
            return;
        Process.Pause();
        _pausedAt = World.Now;
        World.Note($"{Process.Name}: paused");
    }

    public void Resume()
    {
        if (!Process.IsPaused)
            return;
        Paused += World.Now - _pausedAt;
        World.Note($"{Process.Name}: resumed");
        Process.Resume();
    }

    /// <summary>Sends an event to a peer of this host, or to the server.</summary>
    /// <param name="receiver">The number of the receiver.</param>
    /// <param name="size">The size of the event.</param>
    /// <param name="send">Sends the event.</param>
    public async Task SendAsync(int receiver, int size, Func<Numbered, ValueTask<SendStatus>> send)
    {
        var message = new Numbered(Number, ledger.Begin(Number, receiver), new byte[size]);
        var status = await send(message).ConfigureAwait(false);
        ledger.NoteSent(Number, receiver, status);
    }

    /// <summary>Sends a large event to the server.</summary>
    /// <param name="size">The size of the event.</param>
    public async Task SendLoadAsync(int size)
    {
        var status = await Client.SendAsync(new Load(Number, loads.Begin(Number, 0), new byte[size])).ConfigureAwait(false);
        loads.NoteSent(Number, 0, status);
    }

    /// <summary>Sends a request to the server, and checks how it ends.</summary>
    /// <param name="ask">The request.</param>
    /// <param name="timeout">The timeout.</param>
    /// <param name="token">Cancels the request.</param>
    public async Task<RequestStatus> AskAsync(Ask ask, TimeSpan timeout, CancellationToken token = default)
    {
        OpenRequests++;
        var (begun, paused) = (World.Now, Paused);
        var result = await Client.TryRequestAsync(ask, timeout, token).ConfigureAwait(false);
        OpenRequests--;
        Check("the end of a request");
        var took = World.Now - begun - (Paused - paused);
        World.Note($"request {ask.Number} ({ask.Kind}) ended as {result.Status}");
        Law.Require(took <= (timeout + TimeSpan.FromMilliseconds(500)).Ticks, LawNames.RequestTime, $"{ask} ended as {result.Status} after {took / 10_000} ms; the timeout is {timeout.TotalMilliseconds} ms.");
        if (result.Status == RequestStatus.Replied)
            Law.Require(result.Reply is { } reply && reply.Number == ask.Number && reply.Sender == Number, LawNames.Reply, $"{ask} has the reply {result.Reply}.");
        else if (result.Status == RequestStatus.Canceled)
            Law.Require(token.IsCancellationRequested, LawNames.RequestReason, $"{ask} ended as Canceled, although its token is not canceled.");
        return result.Status;
    }

    public Task DisposeAsync(bool stops) => Process.RunAsync(async () =>
    {
        Process.EndsConnections = true;
        World.Note(stops ? "stops" : "disposes");
        if (stops)
            await Host!.StopAsync().ConfigureAwait(false);
        await Host!.DisposeAsync().ConfigureAwait(false);
        IsDisposed = true;
        World.Note("disposed");
    });

    /// <summary>Checks what holds for every callback.</summary>
    private void Check(string callback)
    {
        Law.Require(Replacements.HeldLocks == 0, LawNames.NoLock, $"{callback} of {Process.Name} runs under {Replacements.HeldLocks} locks.");
        Law.Require(World.Current == Process, LawNames.Process, $"{callback} of {Process.Name} runs in {World.Current?.Name}.");
    }

    /// <summary>Checks what holds for every callback that is not called after the disposal.</summary>
    public void CheckOpen(string callback)
    {
        Check(callback);
        Law.Require(!IsDisposed, LawNames.NothingAfterDisposal, $"{callback} of {Process.Name} is called after DisposeAsync has completed.");
    }

    /// <summary>Checks what holds for every handler, and for every source of items.</summary>
    private void CheckHandler(string callback)
    {
        CheckOpen(callback);
        CheckPumped(callback);
    }

    /// <summary>Checks what holds for a handler or a source that continues. In a pumped host, it may continue after the disposal, when the host no longer has a pump.</summary>
    private void CheckContinued(string callback)
    {
        if (Host!.Options.IsPumped)
            Check(callback);
        else
            CheckOpen(callback);
        CheckPumped(callback);
    }

    private void CheckPumped(string callback) =>
        Law.Require(Host?.Options.IsPumped != true || IsPumping || Process.EndsConnections, LawNames.Pumped, $"{callback} of {Process.Name} runs outside of the pump.");

    /// <summary>Checks the number of streams that a peer has opened. A stream counts until its token is canceled or its handler has ended.</summary>
    private List<CancellationToken> NoteStream(Peer from, CancellationToken token)
    {
        OpenSources++;
        if (!_streams.TryGetValue(from, out var open))
            _streams.Add(from, open = []);
        open.RemoveAll(static one => one.IsCancellationRequested);
        open.Add(token);
        Law.Require(open.Count <= MaxStreams, LawNames.StreamLimit, $"{from} has {open.Count} streams; the limit is {MaxStreams}.");
        return open;
    }

    private void Configure(MessageHost host)
    {
        if (HasMods)
        {
            Mods = new Mods(this);
            Mods.Configure(host);
        }

        if (World.Random.Chance(0.2))
            host.Tap((in TappedMessage _) => Check("a tap"));
        host.Deliver<Numbered>(DeliveryMode.ReliableOrdered); // by default, events over UDP may be lost
        host.On((Numbered message, Peer from) =>
        {
            CheckHandler("a handler of an event");
            World.Note($"handles event {message.Number} of {message.Sender}");
            ledger.NoteHandled(from, message.Sender, Number, message.Number, host.Options.IsPumped);
            if (Number == 0 && World.Random.Chance(0.2))
                _ = SendAsync(message.Sender, World.Random.Next(300), back => new ValueTask<SendStatus>(from.Send(back)));
            if (!World.Random.Chance(0.02))
                return;
            ThrownOnPurpose++;
            throw new InvalidOperationException("on purpose");
        });
        host.Deliver<Load>(DeliveryMode.ReliableByType);
        host.On((Load load, Peer from) =>
        {
            CheckHandler("a handler of a large event");
            loads.NoteHandled(from, load.Sender, Number, load.Number, host.Options.IsPumped);
        });
        host.Deliver<Update>(DeliveryMode.ReliableByType);
        host.On((in Update update, Peer from) =>
        {
            CheckHandler("a handler of an update");
            var last = _updates.GetValueOrDefault(from);
            Law.Require(update.Number > last, LawNames.Order, $"Update {update.Number} of {from} follows update {last}.");
            _updates[from] = update.Number;
        });
        host.OnRequest(async (Ask ask, Peer from, CancellationToken token) =>
        {
            CheckHandler("a handler of a request");
            World.Note($"handles request {ask.Number} of {ask.Sender} ({ask.Kind})");
            ledger.NoteRequest(from, host.Options.IsPumped);
            switch (ask.Kind)
            {
                case AskKind.Wait:
                    await Task.Delay(TimeSpan.FromMilliseconds(ask.Milliseconds), World.Time, token).ConfigureAwait(false);
                    break;
                case AskKind.Throw:
                    ThrownOnPurpose++;
                    throw new InvalidOperationException("on purpose");
                case AskKind.AskBack:
                    _ = await from.TryRequestAsync(new AskBack(ask.Number), TimeSpan.FromMilliseconds(ask.Milliseconds), token).ConfigureAwait(false);
                    break;
                case AskKind.Never:
                    await Task.Delay(Timeout.InfiniteTimeSpan, World.Time, token).ConfigureAwait(false);
                    break;
            }

            return new Answer(ask.Sender, ask.Number);
        });
        host.OnRequest((AskBack ask, Peer from) =>
        {
            CheckHandler("a handler of a request");
            ledger.NoteRequest(from, host.Options.IsPumped);
            return new Answer(0, ask.Number);
        });
        host.OnFile(async (offer, token) =>
        {
            CheckHandler("a handler of a file");
            using var saved = new MemoryStream();
            try
            {
                await offer.SaveAsync(saved, cancellationToken: token).ConfigureAwait(false);
            }
            catch (FileTransferException e)
            {
                World.Note($"file {offer.Name} is not received: {e.Message}");
                throw new OperationCanceledException(e.Message, e);
            }

            files[offer.Name] = saved.ToArray();
        });
        host.OnStream((Count count, Peer from, CancellationToken token) => CountAsync(count, from, token));
        host.OnRequest(async (Collect request, IAsyncEnumerable<Counted> items, Peer from, CancellationToken token) =>
        {
            var next = 0;
            await foreach (var item in ReceiveAsync(request, items, from, token).ConfigureAwait(true))
                next = item.Number + 1;
            return new Collected(next);
        });
        host.OnStream((Converse request, IAsyncEnumerable<Counted> items, Peer from, CancellationToken token) => ReceiveAsync(new Collect(request.Flow, request.To, request.Taken), items, from, token));
        host.OnRequest(async (Work work, IProgress<Worked> progress, CancellationToken token) =>
        {
            OpenSources++;
            try
            {
                for (var i = 0; i < work.To; i++)
                {
                    CheckContinued("a handler with progress");
                    progress.Report(new Worked(i));
                    if (World.Random.Chance(0.1))
                        await Task.Delay(TimeSpan.FromMilliseconds(World.Random.Next(50)), World.Time, token).ConfigureAwait(true);
                }

                return work.Fails ? throw new RequestFaultException(1000, "on purpose") : new Collected(work.To);
            }
            finally
            {
                OpenSources--;
            }
        });
        host.PeerConnected += peer =>
        {
            CheckOpen("PeerConnected");
            World.Note($"connected: {peer}");
            ledger.NoteConnected(peer);
            if (UpdateInterval > 0)
                _ = UpdateAsync(peer);
        };
        host.PeerDisconnected += (peer, reason) =>
        {
            CheckOpen("PeerDisconnected");
            World.Note($"disconnected: {peer}, {reason}");
            ledger.NoteEnded(peer);
        };
        host.MessagesLost += (peer, count) =>
        {
            Check("MessagesLost");
            World.Note($"lost: {count} to {peer}");
            ReportedLost += count;
        };
        host.MessagesUnhandled += (peer, count) =>
        {
            Check("MessagesUnhandled");
            World.Note($"unhandled: {count} of {peer}");
            ReportedLost += count;
        };
        host.HandlerFailed += failure =>
        {
            Check("HandlerFailed");
            if (failure.Exception is LawException broken)
                World.Fail(broken);
            else if (failure.Exception is not InvalidOperationException { Message: "on purpose" } and not OperationCanceledException && (IsQuiet || failure.Exception is not RequestFaultException { Code: FaultCode.TooManyStreams }))
                World.Fail(failure.Exception);
            Failures++;
        };
    }

    private async Task UpdateAsync(Peer peer)
    {
        for (var number = 1; !IsDisposed && peer.Send(new Update(number)) != SendStatus.Closed; number++)
            await World.DelayAsync(UpdateInterval).ConfigureAwait(false);
    }

    /// <summary>Reads the items that a peer sends with a request.</summary>
    private async IAsyncEnumerable<Counted> ReceiveAsync(Collect request, IAsyncEnumerable<Counted> items, Peer from, [EnumeratorCancellation] CancellationToken token)
    {
        var (flow, next) = (flows[request.Flow], 0);
        if (request.Taken == 0)
            yield break;
        var open = NoteStream(from, token);
        try
        {
            await using var reading = items.ConfigureAwait(true).GetAsyncEnumerator();
            while (true)
            {
                try
                {
                    if (!await reading.MoveNextAsync())
                        break;
                }
                catch (RequestFaultException e)
                {
                    Law.Require(e.Code == FaultCode.HandlerFailed, LawNames.FaultSide, $"The items end with fault {e.Code}.");
                    flow.NoteFault();
                    ThrownOnPurpose++;
                    throw new InvalidOperationException("on purpose", e);
                }

                Check("a handler of items");
                CheckPumped("a handler of items");
                flow.NoteConsumed(reading.Current.Number);
                next++;
                if (World.Random.Chance(0.02))
                    await World.DelayAsync(World.Random.Next(300)).ConfigureAwait(true);
                yield return reading.Current;
                if (next == request.Taken)
                    yield break;
            }

            Law.Require(next == request.To && !flow.HasFailed, LawNames.StreamComplete, $"The items of a request ended after {next} of {request.To}.");
        }
        finally
        {
            open.Remove(token);
            OpenSources--;
        }
    }

    /// <summary>The items of a stream.</summary>
    /// <param name="count">The flow, and the number of its items.</param>
    /// <param name="from">The peer that has opened the stream; <c>null</c> for items that this program sends with a request.</param>
    /// <param name="token">Canceled at the end of the stream.</param>
    public async IAsyncEnumerable<Counted> CountAsync(Count count, Peer? from, [EnumeratorCancellation] CancellationToken token = default)
    {
        var flow = flows[count.Flow];
        List<CancellationToken>? open = null;
        if (from is null)
            OpenSources++;
        else
            open = NoteStream(from, token);
        try
        {
            for (var i = 0; i < count.To; i++)
            {
                CheckContinued("the source of a stream");
                if (World.Random.Chance(0.1))
                    await Task.Delay(TimeSpan.FromMilliseconds(World.Random.Next(50)), World.Time, token).ConfigureAwait(true);
                flow.NoteProduced();
                yield return new Counted(i, flow.Fill);
            }
        }
        finally
        {
            open?.Remove(token);
            OpenSources--;
        }
    }
}
