using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Whom a client believes, and what is said where it doesn't.</summary>
public sealed partial class TlsTests : IDisposable
{
    private readonly Certificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task Pinned_certificate_is_accepted_with_any_issuer_and_name()
    {
        using var certificates = new Certificates("another.example");

        await AskAsync(certificates.Server, certificates.Pinning);
    }

    [Fact]
    public async Task Certificate_other_than_the_pinned_one_is_refused()
    {
        using var others = new Certificates();

        var refusal = await RefuseAsync(_certificates.Server, others.Pinning);

        Assert.Contains(others.Pinning.PinnedThumbprint!, refusal, StringComparison.Ordinal);
        Assert.Contains(_certificates.Pinning.PinnedThumbprint!, refusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(-20, -10)]
    [InlineData(10, 20)]
    public async Task Pinned_certificate_outside_of_its_dates_is_refused(int from, int to)
    {
        using var certificates = new Certificates("127.0.0.1", from, to);

        Assert.Contains("renewed", await RefuseAsync(certificates.Server, certificates.Pinning), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Certificate_that_the_system_does_not_trust_is_refused()
    {
        using var named = new Certificates("another.example");

        Assert.Contains("PinnedThumbprint", await RefuseAsync(_certificates.Server, new TlsOptions()), StringComparison.Ordinal);
        Assert.Contains("PinnedThumbprint", await RefuseAsync(named.Server, new TlsOptions { TargetHost = "another.example" }), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task First_connect_is_repeated_after_a_server_that_ended_before_it_answered(bool resets)
    {
        var (server, client) = await EndingServer.ReplaceAsync(resets, port => At(port, _certificates.Pinning), new MessageHostOptions(), port => MessageHost.ListenAsync(At(port, _certificates.Server)));
        await using var _ = server;
        await using var __ = client;
        Assert.True(client.Server.IsConnected);
    }

    [Fact]
    public async Task Client_without_TLS_is_refused_with_the_reason_and_counted()
    {
        await using var server = await MessageHost.ListenAsync(At(0, _certificates.Server));

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(MessageEndpoint.Tcp(server.Endpoint.Port)).InTime());

        Assert.Contains("TlsOptions and MessageHostOptions.Protection", refusal.Message, StringComparison.Ordinal);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.TlsFailed) == 1);
        Assert.Empty(server.Peers);
    }

    [Fact]
    public async Task Server_without_TLS_is_named_by_the_exception()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));

        var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(At(server.Endpoint.Port, _certificates.Pinning)).InTime());

        Assert.Contains("without TLS", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(TransportCloseReason.TlsFailed, refusal.Reason); // and not an end that may pass
    }

    [Fact]
    public async Task Silent_connections_do_not_block_clients_and_end_after_the_timeout()
    {
        const int Unauthenticated = 1000;
        var time = new ManualTime(); // of the server: on a busy machine, the client needs long to get through among the strangers
        var limits = new HostLimits { MaxPeers = Unauthenticated + 10 };
        await using var server = await ListenAsync(_certificates.Server, new MessageHostOptions { Limits = limits, TimeProvider = time });
        var strangers = new List<RawPeer>();
        for (var i = 0; i < Unauthenticated; i++)
            strangers.Add(await RawPeer.ConnectAsync(server.Endpoint));

        var patient = new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = Deadline.Length } };
        await using (var client = await MessageHost.ConnectAsync(At(server.Endpoint.Port, _certificates.Pinning), options: patient).InTime())
            Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        await Signal.UntilAsync(() =>
        {
            time.Advance(limits.HandshakeTimeout);
            return server.GetCount(DisconnectReason.HandshakeTimeout) == Unauthenticated;
        });
        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0); // the goodbye of the client may arrive later
        foreach (var stranger in strangers)
            stranger.Dispose();
    }

    [Fact]
    public async Task Silent_server_is_left_after_the_handshake_timeout()
    {
        await using var silent = await MessageEndpoint.Tcp(0).ListenAsync(new TransportContext());
        var options = new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(50) } };

        var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(At(silent.Endpoint.Port, _certificates.Pinning), options: options).InTime());

        Assert.Contains("HandshakeTimeout", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Invalid_TLS_options_are_refused_before_listening()
    {
        using var withoutKey = X509CertificateLoader.LoadCertificate(_certificates.Server.Certificate!.RawData);

        Assert.Contains("private key", (await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(At(0, new TlsOptions { Certificate = withoutKey })))).Message, StringComparison.Ordinal);
        Assert.Contains("64", Assert.Throws<ArgumentException>(() => new TlsOptions { PinnedThumbprint = new string('a', 40) }).Message, StringComparison.Ordinal);
        Assert.Equal(new string('A', 64), new TlsOptions { PinnedThumbprint = "aa:" + new string('a', 62) }.PinnedThumbprint);
    }

    private static MessageEndpoint At(int port, TlsOptions tls) => MessageEndpoint.Tcp("127.0.0.1", port, tls);

    private static Task<MessageServer> ListenAsync(TlsOptions tls, MessageHostOptions? options = null) =>
        MessageHost.ListenAsync(At(0, tls), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);

    private static async Task AskAsync(TlsOptions server, TlsOptions client)
    {
        await using var listening = await ListenAsync(server);
        await using var asking = await MessageHost.ConnectAsync(At(listening.Endpoint.Port, client)).InTime();

        Assert.Equal(new Pong(1), await asking.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    private static async Task<string> RefuseAsync(TlsOptions server, TlsOptions client)
    {
        await using var listening = await ListenAsync(server);
        return (await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(At(listening.Endpoint.Port, client)).InTime())).Message;
    }
}
