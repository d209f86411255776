using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>How it ends: once, and with a reason.</content>
public sealed partial class Peer
{
    private static readonly TimeSpan s_goodbyeTime = TimeSpan.FromSeconds(1);

    private int _endReason;
    private int _leaving;

    /// <summary>Completes when everything that it held is freed, once it has ended.</summary>
    internal Task Freed { get; private set; } = Task.CompletedTask;

    /// <summary>Says goodbye, lets what was sent so far out for up to a second, and disconnects.</summary>
    public Task DisconnectAsync() => DisconnectAsync(DisconnectReason.Requested, awaitsEnd: Announcement == PeerAnnouncement.Made);

    /// <param name="reason">Why.</param>
    /// <param name="awaitsEnd">
    /// Whether to wait for the other side to hang up first, as it does once it has read the goodbye: a socket that is closed while something
    /// unread lies in it takes back what it had still to deliver. Only where somebody receives from the peer meanwhile.
    /// </param>
    /// <param name="text">What to say to people there; null for nothing.</param>
    internal async Task DisconnectAsync(DisconnectReason reason, bool awaitsEnd, string? text = null)
    {
        Interlocked.CompareExchange(ref _leaving, (int)reason + 1, 0);
        var isFlushed = false;
        if (TrySeal(reason, text))
        {
            var timeout = Task.Delay(s_goodbyeTime, _ended.Token);
            var flushed = _outbox.FlushAsync();
            isFlushed = await Task.WhenAny(flushed, timeout).ConfigureAwait(false) == flushed;
            if (isFlushed && awaitsEnd && !_channel.KnowsDelivery)
                await timeout.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        else
        {
            // Somebody said goodbye before, and ends it soon: cut off by this call, that goodbye would not arrive.
            await Task.Delay(2 * s_goodbyeTime, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        End(reason, aborts: !isFlushed);
    }

    private bool TrySeal(DisconnectReason reason, string? text)
    {
        if (IsForeign)
            return _outbox.TrySeal(default);
        using var goodbye = ControlMessage.Pack(ControlCode.Goodbye, MakeGoodbye(reason, text));
        return _outbox.TrySeal(goodbye.Span);
    }

    /// <summary>Ends the connection, once: unanswered requests end, the host is told, the channel is freed.</summary>
    internal void End(DisconnectReason reason) => End(reason, aborts: reason is not (DisconnectReason.Requested or DisconnectReason.Goodbye));

    /// <summary>Ends the connection without a goodbye. The host's listeners are called on the thread pool, and not by this thread.</summary>
    internal void EndAside(DisconnectReason reason) => End(reason, aborts: true, isAside: true);

    /// <summary>Disconnects on the thread pool. Once: further calls do nothing.</summary>
    internal void LeaveAside(DisconnectReason reason, string text)
    {
        if (Interlocked.CompareExchange(ref _leaving, (int)reason + 1, 0) == 0)
            _ = Task.Run(() => DisconnectAsync(reason, awaitsEnd: true, text));
    }

    private void End(DisconnectReason reason, bool aborts, bool isAside = false)
    {
        // Who was told goodbye hangs up, and may have told us the same: neither is why it ends.
        if (reason is DisconnectReason.ConnectionLost or DisconnectReason.Goodbye && Volatile.Read(ref _leaving) is > 0 and var leaving)
            reason = (DisconnectReason)(leaving - 1);
        if (Interlocked.CompareExchange(ref _endReason, (int)reason + 1, 0) != 0)
            return;

        _outbox.Close();
        _requests.Close();
        _answering.Close();
        Fifo?.Close();
        _host.Forget(this, reason, isAside);
        Freed = EndAsync(aborts);
    }

    // Handlers listen to the token: what they do then, and throw, is not for whoever ends the peer.
    private async Task EndAsync(bool aborts)
    {
        try
        {
            if (aborts)
                _channel.Abort();
            var canceled = _ended.CancelAsync();
            await _channel.DisposeAsync().ConfigureAwait(false);
            await canceled.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _host.ReportFailure(this, 0, e);
        }
    }
}
