using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.Channels;
using Reloaded.Messaging.Hosting.Handshake;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Hosting.Reconnecting;

namespace Reloaded.Messaging.Hosting;

/// <content>Connecting, and connecting again.</content>
public sealed partial class MessageClient
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly RequestLine? _line;
    private Task _keeping = Task.CompletedTask;
    private long _reconnects;
    private long _resent;

    /// <summary>An attempt to connect again failed, and why. The next one comes by itself. Return soon.</summary>
    public event Action<Exception>? ReconnectFailed;

    /// <summary>How often it has connected again.</summary>
    public long Reconnects => Volatile.Read(ref _reconnects);

    /// <summary>How many requests were sent once more, since they had no reply when a connection was lost.</summary>
    public long ResentRequests => Volatile.Read(ref _resent);

    internal async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ShakeHandsAsync(Server, cancellationToken).ConfigureAwait(false);
        }
        catch (HandshakeException e) when (Options.Reconnect is not null && Dialer.IsTransient(e))
        {
            if (!await ReconnectAsync(e, Dialer.IsTransient, cancellationToken).ConfigureAwait(false))
                throw;
        }

        if (_line is not null)
            await _line.OpenAsync(Server).ConfigureAwait(false);
        if (Options.Reconnect is not null)
            _keeping = Task.Run(() => KeepConnectedAsync(_stopping.Token), CancellationToken.None);
    }

    private protected override void NoteHandshake(Peer peer) => Volatile.Write(ref _server, peer);

    private protected override async ValueTask StopListeningAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _keeping.ConfigureAwait(false);
        _line?.Close();
    }

    private async Task KeepConnectedAsync(CancellationToken stopping)
    {
        try
        {
            while (true)
            {
                var since = Environment.TickCount64;
                var lost = Server;
                using (var either = CancellationTokenSource.CreateLinkedTokenSource(lost.Ended, stopping))
                    await Task.Delay(Timeout.Infinite, either.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                if (stopping.IsCancellationRequested || lost.Disconnected is DisconnectReason.Requested or DisconnectReason.Kicked)
                    return;

                _dialer.NoteLost(TimeSpan.FromMilliseconds(Environment.TickCount64 - since));
                if (!await ReconnectAsync(new ChannelClosedException($"The connection to {lost.RemoteName} ended: {lost.Disconnected}."), Dialer.MayPass, stopping).ConfigureAwait(false))
                    return;
                Interlocked.Increment(ref _reconnects);
                if (_line is not null)
                    await _line.OpenAsync(Server).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            if (!stopping.IsCancellationRequested)
                ReportFailure(Server, 0, e); // the program's own callback, or a mistake in what it gave
        }
        finally
        {
            _line?.Close();
        }
    }

    /// <returns>False when the policy gives up.</returns>
    private async Task<bool> ReconnectAsync(Exception failure, Func<Exception, bool> isRepeated, CancellationToken cancellationToken)
    {
        while (await _dialer.TryAgainAsync(failure, cancellationToken).ConfigureAwait(false))
        {
            try
            {
                var (channel, token) = await _dialer.DialAsync(cancellationToken).ConfigureAwait(false);
                _token = token;
                await ShakeHandsAsync(AddPeer(channel), cancellationToken).ConfigureAwait(false);
                return true;
            }
            catch (Exception e) when (isRepeated(e))
            {
                failure = e;
                Raise(Server, () => ReconnectFailed?.Invoke(e));
            }
        }

        return false;
    }

    private async Task ShakeHandsAsync(Peer peer, CancellationToken cancellationToken)
    {
        if (await StartPeerAsync(peer).WaitAsync(cancellationToken).ConfigureAwait(false) is { } refused)
            throw new HandshakeException(refused, _dialer.Endpoint.ToString());
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<RequestResult<TReply>> RequestInLineAsync<TRequest, TReply>(RequestLine line, TRequest request, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        var wait = timeout ?? Options.RequestTimeout;
        var begun = TimeProvider.System.GetTimestamp();
        var place = line.Enter();
        try
        {
            Peer? peer = null;
            for (var sent = 0; ; sent++)
            {
                var turn = await line.WaitForTurnAsync(place, peer, wait - TimeProvider.System.GetElapsedTime(begun), cancellationToken).ConfigureAwait(false);
                ValueTask<RequestResult<TReply>> asking;
                try
                {
                    var left = wait - TimeProvider.System.GetElapsedTime(begun);
                    peer = turn.Peer;
                    if (peer is null || (left <= TimeSpan.Zero && (sent > 0 || turn.Taken is not null)))
                        return new RequestResult<TReply>(cancellationToken.IsCancellationRequested ? RequestStatus.Canceled : turn.IsLast ? RequestStatus.Disconnected : RequestStatus.TimedOut, default, null);
                    if (sent > 0)
                        Interlocked.Increment(ref _resent);
                    asking = peer.TryRequestAsync<TRequest, TReply>(in request, left > TimeSpan.Zero ? left : wait, cancellationToken);
                }
                finally
                {
                    turn.End();
                }

                var result = await asking.ConfigureAwait(false);
                if (result.Status != RequestStatus.Disconnected)
                    return result;
            }
        }
        finally
        {
            line.Leave();
        }
    }

    private static async ValueTask<TReply> GetReplyAsync<TReply>(ValueTask<RequestResult<TReply>> asking) => (await asking.ConfigureAwait(false)).GetReply();
}
