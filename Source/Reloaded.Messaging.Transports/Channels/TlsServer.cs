using System.IO;
using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;

namespace Reloaded.Messaging;

/// <summary>Encrypts the connections of a server.</summary>
internal static class TlsServer
{
    /// <summary>Loads the certificate before the server listens.</summary>
    /// <returns>Encrypts the channels that a listener accepts.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the certificate is missing or has no private key.</exception>
    public static Func<TransportListener, WrappedListener> Prepare(TransportAddress address, TlsOptions options)
    {
        if (options.Certificate is not { HasPrivateKey: true } certificate)
        {
            throw new InvalidOperationException(
                options.Certificate is null
                    ? $"The server at {address} has no certificate, which TLS requires. Set TlsOptions.Certificate."
                    : $"The certificate for {address} has no private key. Load it from a file that contains both, such as a PFX file.");
        }

        var authentication = new SslServerAuthenticationOptions { ServerCertificateContext = SslStreamCertificateContext.Create(certificate, additionalCertificates: null, offline: true) };
        return inner => new WrappedListener(inner, accepted => new TlsChannel(accepted, stream => stream.AuthenticateAsServerAsync(authentication), Explain));
    }

    private static string Explain(Exception e) => $"{e.Message} The client may be running without TLS, or may not trust the certificate of this server.";
}
