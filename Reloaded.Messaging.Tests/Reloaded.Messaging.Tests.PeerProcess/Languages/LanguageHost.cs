using System.Globalization;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Languages;

/// <summary>Servers for the tests of clients in other languages: over TCP, WebSocket or UDP, with a token or without.</summary>
internal static class LanguageHost
{
    public const string Verb = "languages";

    /// <summary>The same at a WebSocket endpoint. Pages of <c>http://allowed.example</c> may connect.</summary>
    public const string WebSocketVerb = "languages-websocket";

    /// <summary>The same over TCP with TLS. The certificate is that of localhost, and signed by itself.</summary>
    public const string TlsVerb = "languages-tls";

    /// <summary>The same over UDP. With a token, the keys of the protection are exchanged; without, there is no protection.</summary>
    public const string UdpVerb = "languages-udp";

    /// <summary>Runs until the input ends. Writes <c>ready</c>, the certificate in Base64 if there is one, and the port.</summary>
    /// <param name="verb"><see cref="Verb"/>, <see cref="WebSocketVerb"/>, <see cref="TlsVerb"/> or <see cref="UdpVerb"/>.</param>
    /// <param name="token">The token in hexadecimal, or <c>none</c>.</param>
    /// <param name="port">The port; 0 for any.</param>
    public static async Task RunAsync(string verb, string token, string port)
    {
        var options = new MessageHostOptions
        {
            Token = token == "none" ? default : Convert.FromHexString(token),
            Protection = verb == UdpVerb && token != "none" ? ProtectionOptions.WithToken() : null,
        };
        var number = int.Parse(port, CultureInfo.InvariantCulture);
        using var certificate = verb == TlsVerb ? CreateCertificate() : null;
        var endpoint = verb switch
        {
            WebSocketVerb => MessageEndpoint.WebSocket(number, new WebSocketEndpointOptions { RequireToken = false, AllowedOrigins = ["http://allowed.example"] }),
            TlsVerb => MessageEndpoint.Tcp("127.0.0.1", number, new TlsOptions { Certificate = certificate }),
            UdpVerb => MessageEndpoint.Udp(number),
            _ => MessageEndpoint.Tcp(number),
        };
        await using var server = await MessageHost.ListenAsync(endpoint, Register, options);
        Console.WriteLine(certificate is null ? $"ready {server.Endpoint.Port}" : $"ready {Convert.ToBase64String(certificate.RawData)} {server.Endpoint.Port}");
        await Console.In.ReadToEndAsync();
    }

    private static void Register(MessageHost server)
    {
        server.On(static (in Shout shout, Peer from) =>
        {
            for (var i = 0; i < shout.Times; i++)
                _ = from.Send(shout);
        });
        server.OnRequest(static (Sum sum) => new Total(sum.Numbers.Sum(), sum.Numbers.Count == 0 ? null : (decimal)sum.Numbers.Sum() / sum.Numbers.Count, DateTimeOffset.UnixEpoch));
        server.OnRequest<AskBack, Answer>(static async (ask, from, token) => await from.RequestAsync<Question, Answer>(new Question(ask.Number), cancellationToken: token));
        server.OnRequest(Answer (Fail fail) => throw (fail.Code == 0 ? new InvalidOperationException(fail.Text) : new RequestFaultException(fail.Code, fail.Text)));
        server.OnRequest(static (Repeat repeat) => new Lines([.. Enumerable.Repeat(repeat.Text, repeat.Count)]));
        server.OnRequest(static (Answer _) => { }); // acknowledged
        server.On(static async (Leave leave, Peer from) => await from.KickAsync(leave.Reason));
        server.OnRequest<Wait, Answer>(static async (_, _, token) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, token);
            return default;
        });
        LanguageStreams.Register(server);
    }

    private static X509Certificate2 CreateCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }
}
