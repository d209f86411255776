namespace Reloaded.Messaging.Hosting;

/// <summary>A server that accepts any number of clients. Created by <see cref="MessageHost.ListenAsync"/>.</summary>
/// <example><code>
/// await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host =&gt;
///     host.On((Say say, Peer from) =&gt; host.Broadcast(say))); // to all peers, also to the sender
/// Console.WriteLine($"{server.Endpoint} has {server.Peers.Count} peers.");
///
/// [Message(3)] public sealed record Say(string Text);
/// </code></example>
public sealed class MessageServer : MessageHost
{
    /// <summary>The maximum number of concurrent goodbyes to refused connections. Each goodbye is limited in time.</summary>
    private const int MaxRefusals = 64;

    private static readonly TimeSpan s_afterFailure = TimeSpan.FromMilliseconds(100);

    private readonly TransportListener _listener;
    private readonly AddressLockout _lockout;
    private readonly Admission _admission;
    private readonly CancellationTokenSource _stopping = new();
    private Task _accepting = Task.CompletedTask;
    private volatile bool _isStoppingToListen;
    private int _refusals;

    internal MessageServer(MessageEndpoint endpoint, TransportListener listener, TransportContext context, MessageHostOptions options)
        : base(options, endpoint, context)
    {
        _listener = listener;
        _lockout = context.Lockout;
        _admission = new Admission(options.Limits);
        Endpoint = endpoint;
        Bans = new BanList(this);
    }

    /// <summary>Raised when a connection ended before it became a peer, for example because of a wrong token or a limit. Raised once for each such connection, on any thread. Return soon.</summary>
    /// <remarks><see cref="HostStatistics.RefusedConnections"/> counts these connections, and <see cref="MessageHost.GetCount(DisconnectReason)"/> counts them by reason.</remarks>
    public event Action<RefusedConnection>? ConnectionRefused;

    /// <summary>The endpoint for clients, with the assigned port.</summary>
    public MessageEndpoint Endpoint { get; }

    /// <summary>Whether the server accepts connections. <c>false</c> after <see cref="MessageHost.StopAsync"/> or <see cref="MessageHost.DisposeAsync"/> was called, and after the transport ended.</summary>
    public bool IsListening => !_isStoppingToListen && !_accepting.IsCompleted;

    /// <summary>The accounts and addresses that the server refuses for a time.</summary>
    /// <remarks>A refusal raises <see cref="ConnectionRefused"/> with <see cref="DisconnectReason.Banned"/>. The client finds this reason, and the text of the ban, in its <see cref="HandshakeException"/>, or as <see cref="Peer.GoodbyeText"/> if its account was refused.</remarks>
    public BanList Bans { get; }

    internal override ReadOnlyMemory<byte> Token => Options.Token.IsEmpty ? _listener.Token : Options.Token;

    internal override bool IsServer => true;

    /// <summary>Whether clients may have connected.</summary>
    private bool IsStarted { get; set; }

    internal void Start()
    {
        IsStarted = true;
        _accepting = Detached.Run(AcceptAsync); // the caller does not wait for the first connection, and its synchronization context may be blocked
    }

    internal override DisconnectReason? TryAdmit(Peer peer) => Bans.Find(peer) is null ? _admission.TryAdmit(peer.Connection) : DisconnectReason.Banned;

    internal override void NoteEnd(Peer peer) => _admission.Leave(peer.Connection);

    internal override void RaiseRefused(Peer peer, DisconnectReason reason)
    {
        base.RaiseRefused(peer, reason);
        Events.Call(peer, () => ConnectionRefused?.Invoke(new RefusedConnection(peer.RemoteName, reason)));
    }

    private protected override async ValueTask StopListeningAsync()
    {
        _isStoppingToListen = true; // first: a disposed listener may throw
        await Events.CallAsync(null, _listener.DisposeAsync).ConfigureAwait(false);
        await Events.CallAsync(null, () => new ValueTask(_stopping.CancelAsync())).ConfigureAwait(false); // a listener that could not be disposed still accepts
        await _accepting.ConfigureAwait(false);
    }

    private protected override void ThrowIfNoAuthentication()
    {
        if (IsStarted)
            throw new InvalidOperationException("The server already listens, so clients may have connected without credentials. Call OnAuthenticate in the callback of ListenAsync.");
    }

    private protected override ValueTask StopAcceptingAsync() => StopListeningAsync();

    /// <summary>Admits or refuses a connection. Does not throw: properties of the channel and the clock may be code of the program.</summary>
    private async Task ServeAsync(TransportChannel channel)
    {
        Peer? peer = null;
        try
        {
            peer = await MakePeerAsync(channel).ConfigureAwait(false);
            var address = channel.RemoteIdentity;
            var refusal = Bans.Find(address) is not null ? DisconnectReason.Banned
                : _admission.FindRefusal(address) ?? (_lockout.IsLockedOut(address) ? DisconnectReason.LockedOut : null);
            await (refusal is { } reason ? RefuseAsync(peer.Connection, reason) : AdmitAsync(peer, address)).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Resources.Counters.Add(HostCounter.FailedAccepts);
            Events.ReportFailure(peer, 0, e);
            peer?.Connection.End(DisconnectReason.ConnectionLost);
        }
    }

    private async Task AdmitAsync(Peer peer, string? address)
    {
        if (_admission.Enter(peer.Connection, address, out var limit) is { } oldest)
            _ = RefuseAsync(oldest, limit);
        Registry.Add(peer);
        var refused = await Detached.Run(() => Registry.StartAsync(peer)).ConfigureAwait(false); // an event handler that blocks must not stop the accepting
        if (refused is null)
            _lockout.NoteSuccess(address);
        else if (refused is DisconnectReason.WrongToken or DisconnectReason.WrongProtection)
            _lockout.NoteFailure(address); // after the reason was counted
    }

    /// <summary>Disconnects an unauthenticated connection, and sends the reason. At the maximum number of concurrent goodbyes, it is disconnected without a goodbye.</summary>
    private async Task RefuseAsync(Connection connection, DisconnectReason reason)
    {
        try
        {
            if (Interlocked.Increment(ref _refusals) <= MaxRefusals)
            {
                await connection.CloseAsync(reason, awaitsEnd: false).ConfigureAwait(false);
                await connection.Freed.ConfigureAwait(false); // the socket waits for the remote side to close, and counts until then
            }
            else
            {
                connection.EndWithDeferredEvents(reason); // an event handler that blocks must not stop the accepting
            }
        }
        finally
        {
            Interlocked.Decrement(ref _refusals);
        }
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            try
            {
                if (await _listener.AcceptAsync(_stopping.Token).ConfigureAwait(false) is not { } channel)
                {
                    if (!_isStoppingToListen)
                        Resources.Counters.Add(HostCounter.FailedAccepts); // the transport ended, and the server accepts no further clients
                    return;
                }

                Events.Track(ServeAsync(channel)); // a handshake that fails is reported before the end of the disposal
            }
            catch (Exception)
            {
                if (_isStoppingToListen)
                    return;

                // The server continues after a failed connection. The delay prevents a busy loop if every connection fails.
                Resources.Counters.Add(HostCounter.FailedAccepts);
                await Task.Delay(s_afterFailure).ConfigureAwait(false);
            }
        }
    }
}
