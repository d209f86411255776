using System.IO;
using System.IO.Pipes;
using System.Security.Principal;

namespace Reloaded.Messaging;

/// <summary>Connects hosts through named pipes. On systems other than Windows, named pipes of .NET are Unix sockets, and this transport uses Unix sockets too.</summary>
/// <param name="allowElevationMismatch">Whether a pipe of Windows may connect an elevated process and another process of the user.</param>
/// <param name="scheme">The scheme of its addresses.</param>
internal sealed class NamedPipeTransport(bool allowElevationMismatch = false, string scheme = "pipe") : Transport
{
    private static readonly UnixSocketTransport s_sockets = new("pipe");

    private readonly bool _allowElevationMismatch = allowElevationMismatch;

    public static readonly NamedPipeTransport Default = new();

    public override string Scheme => scheme;

    public override bool IsLocal => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => OperatingSystem.IsWindows()
        ? new ValueTask<TransportListener>(PipeListener.Listen(address, _allowElevationMismatch))
        : s_sockets.ListenAsync(address, context);

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) => OperatingSystem.IsWindows()
        ? PipeConnector.ConnectAsync(address, _allowElevationMismatch, cancellationToken)
        : s_sockets.ConnectAsync(address, context, cancellationToken);

    public override bool Equals(object? obj) => obj is NamedPipeTransport other && other._allowElevationMismatch == _allowElevationMismatch;

    public override int GetHashCode() => HashCode.Combine(nameof(NamedPipeTransport), _allowElevationMismatch);
}
