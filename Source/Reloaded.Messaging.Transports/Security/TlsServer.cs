using System;
using System.Net.Security;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Encrypts what another listener accepts. It waits for no handshake: each goes on in its own channel.</summary>
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

    /// <summary>Reads the certificate, before anything listens.</summary>
    /// <exception cref="InvalidOperationException">There is none, or it has no private key.</exception>
    public static Func<TransportListener, TlsServer> Prepare(TransportAddress address, TlsOptions options)
    {
        if (options.Certificate is not { HasPrivateKey: true } certificate)
        {
            throw new InvalidOperationException(
                options.Certificate is null
                    ? $"A server at {address} shows a certificate for TLS. Set TlsOptions.Certificate."
                    : $"The certificate for {address} has no private key. Load it from where both are, such as a PFX file.");
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

    private static string Explain(Exception e) => $"{e.Message} The client may speak without TLS, or not accept this server's certificate.";
}
