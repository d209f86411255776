using System;
using System.Collections.Generic;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Reads the addresses of the brokers, the credentials and TLS.</summary>
internal static class ConnectionReader
{
    private const string Endpoint = "Endpoint";
    private const string Tls = "Tls";
    private static readonly TimeSpan s_heartbeat = TimeSpan.FromSeconds(10);

    /// <returns>The settings of the client library, or <c>null</c> if there is no valid address, and the nodes of a cluster, or none for a single broker.</returns>
    public static (ConnectionFactory? Factory, IReadOnlyList<AmqpTcpEndpoint> Nodes) Read(SettingsSection section)
    {
        var addresses = BrokerAddress.ReadAll(section, Endpoint);
        var (user, password, virtualHost) = (section.ReadText("User"), section.ReadText("Password"), section.ReadText("VirtualHost"));
        var heartbeat = section.ReadTime("Heartbeat", s_heartbeat, static value => Guard.Between(TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(10), value, "Heartbeat"));
        var factory = new ConnectionFactory { RequestedHeartbeat = heartbeat };
        factory.NetworkRecoveryInterval = section.ReadSection("Reconnect", factory.NetworkRecoveryInterval, keys =>
            keys.ReadTime("MaxDelay", factory.NetworkRecoveryInterval, static value => Guard.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromHours(1), value, "MaxDelay")));
        var tls = section.ReadSection(Tls, null, ReadTls);
        if (addresses.Count == 0)
            return (null, []);

        var first = addresses[0];
        if (tls is not null && !addresses.TrueForAll(static address => address.IsEncrypted))
            section.AddError(Tls, "", "An address in Endpoint has no TLS. Begin each address with amqps://, or remove the section.");
        (factory.UserName, factory.Password, factory.VirtualHost) = (user ?? first.User ?? factory.UserName, password ?? first.Password ?? factory.Password, virtualHost ?? first.VirtualHost ?? factory.VirtualHost);
        var nodes = addresses.ConvertAll(address => new AmqpTcpEndpoint(address.Host, address.Port, MakeTls(address, tls)));
        factory.Endpoint = nodes[0];
        return (factory, nodes.Count > 1 ? nodes : []);
    }

    private static TlsSettings ReadTls(SettingsSection section) => new(new TlsOptions { PinnedThumbprint = CertificateReader.ReadThumbprint(section) }.PinnedThumbprint, section.ReadText("TargetHost"), CertificateReader.Read(section));

    private static SslOption MakeTls(BrokerAddress address, TlsSettings? tls)
    {
        var option = new SslOption(tls?.TargetHost ?? address.Host, enabled: address.IsEncrypted);
        option.CertificateValidationCallback = new BrokerTrust(tls?.Thumbprint, option.ServerName).Validate;
        if (tls?.Certificate is { } certificate)
            option.Certs = [certificate];
        return option;
    }

    /// <summary>The values of the subsection <c>Tls</c>.</summary>
    private sealed record TlsSettings(string? Thumbprint, string? TargetHost, X509Certificate2? Certificate);
}
