using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Listens, and talks to everyone who connects. Made by <see cref="MessageHost.ListenAsync"/>.</summary>
public sealed class MessageServer : MessageHost
{
    private static readonly TimeSpan s_afterFailure = TimeSpan.FromMilliseconds(100);

    private readonly TransportListener _listener;
    private readonly AddressLockout _lockout;
    private readonly Admission _admission;
    private Task _accepting = Task.CompletedTask;

    internal MessageServer(MessageEndpoint endpoint, TransportListener listener, TransportContext context, MessageHostOptions options)
        : base(options, endpoint.LengthPrefix, context)
    {
        _listener = listener;
        _lockout = context.Lockout;
        _admission = new Admission(options.Limits);
        Endpoint = endpoint with { Port = listener.Address.Port };
    }

    /// <summary>Where it listens, as a client gives it: with the port that was assigned.</summary>
    public MessageEndpoint Endpoint { get; }

    internal override ReadOnlyMemory<byte> Token => Options.Token.IsEmpty ? _listener.Token : Options.Token;

    /// <summary>Whether clients may have connected.</summary>
    internal bool IsStarted { get; private set; }

    internal void Start()
    {
        IsStarted = true;
        _accepting = AcceptAsync();
    }

    private protected override DisconnectReason? TryAdmit(Peer peer) => _admission.TryAdmit(peer.Connection);

    private protected override void NoteEnd(Peer peer) => _admission.Leave(peer.Connection);

    private protected override bool EndsPeersThatDoNotRead => true;

    private protected override async ValueTask StopListeningAsync()
    {
        await _listener.DisposeAsync().ConfigureAwait(false);
        await _accepting.ConfigureAwait(false);
    }

    private async Task AdmitAsync(TransportChannel channel)
    {
        var peer = MakePeer(channel);
        if (_admission.Enter(peer.Connection, channel.RemoteIdentity, out var limit) is { } oldest)
            _ = RefuseAsync(oldest, limit);
        var refused = await StartPeerAsync(AddPeer(peer)).ConfigureAwait(false);
        if (refused is null)
            _lockout.NoteSuccess(channel.RemoteIdentity);
        else if (refused is DisconnectReason.WrongToken or DisconnectReason.WrongProtection)
            _lockout.NoteFailure(channel.RemoteIdentity); // after the counter of its reason
    }

    private async Task AcceptAsync()
    {
        await Task.Yield(); // who started it need not wait for the first one
        while (true)
        {
            try
            {
                if (await _listener.AcceptAsync(DisposedToken).ConfigureAwait(false) is not { } channel)
                    return;
                if (_admission.FindRefusal(channel.RemoteIdentity) is { } full)
                    _ = RefuseAsync(channel, full);
                else if (_lockout.IsLockedOut(channel.RemoteIdentity))
                    _ = RefuseAsync(channel, DisconnectReason.LockedOut);
                else
                    _ = AdmitAsync(channel);
            }
            catch (Exception) when (!DisposedToken.IsCancellationRequested)
            {
                // One connection that failed is no reason to take no more. What fails each time must not spin.
                Counters.CountFailedAccept();
                await Task.Delay(s_afterFailure).ConfigureAwait(false);
            }
        }
    }
}
