using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Upgrades the connections that another listener accepts. Accepting waits for no request; each upgrade runs in its channel.</summary>
internal sealed class WebSocketListener(TransportListener inner, WebSocketEndpointOptions options) : TransportListener
{
    public override TransportAddress Address => inner.Address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
        await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } accepted
            ? new WebSocketChannel(accepted, WebSocketUpgrade.AnswerAsync(accepted, Address, options))
            : null;

    public override ValueTask DisposeAsync() => inner.DisposeAsync();
}
