using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Exchanges keys with each accepted client. The exchanges run concurrently.</summary>
internal sealed class ProtectedListener(TransportListener inner, ProtectionOptions options, ReadOnlyMemory<byte> shared) : TransportListener
{
    public override TransportAddress Address => inner.Address;

    public override ReadOnlyMemory<byte> Token => inner.Token;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
        await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } channel ? new ProtectedChannel(channel, options, shared, isServer: true) : null;

    public override ValueTask DisposeAsync() => inner.DisposeAsync();
}
