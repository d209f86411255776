using System;
using System.Net.Security;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Encrypts a connection of a client, and explains a failure.</summary>
internal static class TlsClient
{
    public static async ValueTask<TransportChannel> EncryptAsync(TransportChannel connected, TransportAddress address, TlsOptions options, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var trust = new ServerTrust(options, address.Name);
        var authentication = new SslClientAuthenticationOptions
        {
            TargetHost = trust.Host,
            RemoteCertificateValidationCallback = trust.Validate,
            CertificateChainPolicy = trust.MakePolicy(),
        };
        var channel = new TlsChannel(connected, stream => stream.AuthenticateAsClientAsync(authentication), e => trust.Refusal ?? Explain(e));
        try
        {
            await channel.HandshakeAsync(cancellationToken).WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            return channel;
        }
        catch (TimeoutException e)
        {
            await AbandonAsync(channel).ConfigureAwait(false);
            throw new TransportClosedException(
                TransportCloseReason.HandshakeTimeout,
                $"{address} accepted the connection, but did not answer in TLS within HostLimits.HandshakeTimeout ({timeout}). Check the port, and set TlsOptions on the endpoint of the server.",
                e);
        }
        catch
        {
            await AbandonAsync(channel).ConfigureAwait(false);
            throw;
        }
    }

    private static ValueTask AbandonAsync(TlsChannel channel)
    {
        channel.Abort();
        return channel.DisposeAsync();
    }

    private static string Explain(Exception e) => $"{e.Message} The server may be running without TLS. Set TlsOptions on its endpoint, or leave them out on both sides.";
}
