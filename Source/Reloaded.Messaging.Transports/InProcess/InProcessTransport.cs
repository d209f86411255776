using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects hosts within one process.</summary>
internal sealed class InProcessTransport : Transport
{
    public static InProcessTransport Instance { get; } = new();

    public override string Scheme => "in-process";

    public override bool IsLocal => true;

    public override bool IsStream => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => new(InProcessListener.Listen(address));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        new(InProcessListener.Connect(address));
}
