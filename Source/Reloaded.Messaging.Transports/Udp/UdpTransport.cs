using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects hosts over UDP, and protects each datagram separately.</summary>
internal sealed class UdpTransport(UdpOptions options) : Transport
{
    private readonly UdpOptions _options = options;

    public static UdpTransport Default { get; } = new(UdpOptions.Default);

    public override string Scheme => "udp";

    public override bool AppliesProtection => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => new(UdpListener.Listen(address, _options, context));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        UdpConnector.ConnectAsync(address, _options, context, cancellationToken);

    public override bool Equals(object? obj) => obj is UdpTransport other && other._options == _options;

    public override int GetHashCode() => HashCode.Combine(nameof(UdpTransport), _options);
}
