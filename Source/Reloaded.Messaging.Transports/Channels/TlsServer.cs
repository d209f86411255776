using System;
using System.Net.Security;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Encrypts the channels that another listener accepts. Accepting waits for no handshake; each handshake runs in its channel.</summary>
internal sealed class TlsServer : TransportListener
{
    private readonly TransportListener _inner;
    private readonly SslServerAuthenticationOptions _options;

    private TlsServer(TransportListener inner, SslStreamCertificateContext context)
    {
        _inner = inner;
        _options = new SslServerAuthenticationOptions { ServerCertificateContext = context };
    }

    public override TransportAddress Address => _inner.Address;

    /// <summary>Loads the certificate before the server listens.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the certificate is missing or has no private key.</exception>
    public static Func<TransportListener, TlsServer> Prepare(TransportAddress address, TlsOptions options)
    {
        if (options.Certificate is not { HasPrivateKey: true } certificate)
        {
            throw new InvalidOperationException(
                options.Certificate is null
                    ? $"The server at {address} has no certificate, which TLS requires. Set TlsOptions.Certificate."
                    : $"The certificate for {address} has no private key. Load it from a file that contains both, such as a PFX file.");
        }

        var context = SslStreamCertificateContext.Create(certificate, additionalCertificates: null, offline: true);
        return inner => new TlsServer(inner, context);
    }

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        if (await _inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is not { } accepted)
            return null;
        var channel = new TlsChannel(accepted, stream => stream.AuthenticateAsServerAsync(_options), Explain);
        channel.BeginHandshake();
        return channel;
    }

    public override ValueTask DisposeAsync() => _inner.DisposeAsync();

    private static string Explain(Exception e) => $"{e.Message} The client may be running without TLS, or may not trust the certificate of this server.";
}
