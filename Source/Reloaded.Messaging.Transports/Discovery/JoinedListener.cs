using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Accepts the clients of several listeners.</summary>
/// <param name="listeners">The listeners. They are disposed with this listener.</param>
internal sealed class JoinedListener(IReadOnlyList<TransportListener> listeners) : TransportListener
{
    private readonly Task<TransportChannel?>?[] _accepting = new Task<TransportChannel?>?[listeners.Count];

    public override TransportAddress Address => listeners[0].Address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        for (var i = 0; i < _accepting.Length; i++)
            _accepting[i] ??= listeners[i].AcceptAsync(default).AsTask(); // an accept that nobody awaits at present is kept for the next call
        var accepted = await Task.WhenAny(_accepting!).WaitAsync(cancellationToken).ConfigureAwait(false);
        return TryTake(Array.IndexOf(_accepting, accepted), accepted) ? await accepted.ConfigureAwait(false) : null;
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (var listener in listeners)
            await listener.DisposeAsync().ConfigureAwait(false);
        for (var i = 0; i < _accepting.Length; i++)
        {
            if (_accepting[i] is { } kept && TryTake(i, kept) && await kept.ConfigureAwait(false) is { } channel)
                await channel.DisposeAsync().ConfigureAwait(false); // it connected, and no call has accepted it
        }
    }

    /// <summary>Takes an accept that is kept. Either a call of <see cref="AcceptAsync"/> or the disposal takes it.</summary>
    private bool TryTake(int index, Task<TransportChannel?> kept) => index >= 0 && Interlocked.CompareExchange(ref _accepting[index], null, kept) == kept;
}
