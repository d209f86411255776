using System.IO;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;

namespace Reloaded.Messaging;

/// <summary>Encrypts another channel with TLS.</summary>
internal sealed class TlsChannel : HandshakingChannel
{
    private readonly ChannelStream _bytes;
    private readonly SslStream _stream;
    private readonly Func<Exception, string> _explain;

    /// <param name="inner">The channel that carries the bytes. This channel owns it from now on.</param>
    /// <param name="authenticate">Performs the TLS handshake.</param>
    /// <param name="explain">Returns the text that explains a failed handshake.</param>
    public TlsChannel(TransportChannel inner, Func<SslStream, Task> authenticate, Func<Exception, string> explain)
        : base(inner)
    {
        _explain = explain;
        _bytes = new ChannelStream(inner);
        _stream = new SslStream(_bytes, leaveInnerStreamOpen: true);
        Handshake = Observe(AuthenticateAsync(authenticate));
    }

    protected override Task Handshake { get; }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        await OpenAsync(cancellationToken).ConfigureAwait(false);
        ThrowIfClosed(); // otherwise, bytes that are already decrypted would be returned
        try
        {
            return await _stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (HasEnded(e))
        {
            throw new TransportClosedException($"Receiving from {RemoteName} failed: {e.Message}", e);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync().ConfigureAwait(false);
        await _stream.DisposeAsync().ConfigureAwait(false);
    }

    protected override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) => _stream.WriteAsync(bytes, cancellationToken);

    /// <summary>Sends the TLS shutdown alert, which tells an orderly end from a truncation.</summary>
    protected override Task SendFarewellAsync() => _stream.ShutdownAsync();

    protected override bool IsEnd(Exception e, CancellationToken cancellationToken) => HasEnded(e);

    private static bool HasEnded(Exception e) => e is IOException or ObjectDisposedException or InvalidOperationException or AuthenticationException or NotSupportedException;

    private async Task AuthenticateAsync(Func<SslStream, Task> authenticate)
    {
        try
        {
            await authenticate(_stream).ConfigureAwait(false);
        }
        catch (Exception e) when (HasEnded(e))
        {
            // An end without a byte, or by the channel, is that of a program that was ended or is being stopped.
            var isLost = e is TransportClosedException || (!_bytes.HasReceived && e is not AuthenticationException);
            var reason = isLost ? TransportCloseReason.ConnectionLost : TransportCloseReason.TlsFailed;
            throw new TransportClosedException(reason, $"TLS with {RemoteName} failed: {_explain(e)}", e);
        }
    }
}
