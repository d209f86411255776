using System;
using System.Collections.Generic;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>The addresses of the brokers, the credentials and TLS.</summary>
internal sealed record ConnectionSettings
{
    /// <summary>The settings, which are in the section of the host.</summary>
    public static SettingsTable<ConnectionSettings> Table { get; } = new SettingsTable<ConnectionSettings>()
        .Add("Endpoint", static (section, key, connection) => connection with { Addresses = BrokerAddress.ReadAll(section, key) })
        .Text(nameof(User), static (connection, value) => connection with { User = value })
        .Text(nameof(Password), static (connection, value) => connection with { Password = value })
        .Text(nameof(VirtualHost), static (connection, value) => connection with { VirtualHost = value })
        .Time(nameof(Heartbeat), static (connection, value) => connection with { Heartbeat = value })
        .Section("Reconnect", new SettingsTable<ConnectionSettings>().Time(nameof(MaxDelay), static (connection, value) => connection with { MaxDelay = value }))
        .Section(nameof(Tls), TlsSettings.All, new TlsSettings(), static (connection, value) => connection with { Tls = value });

    public List<BrokerAddress> Addresses { get; init; } = [];

    public string? User { get; init; }

    public string? Password { get; init; }

    public string? VirtualHost { get; init; }

    /// <summary>The interval of heartbeats (1 s to 10 min; default: 10 s).</summary>
    public TimeSpan Heartbeat { get; init => field = Guard.Between(TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(10), value); } = TimeSpan.FromSeconds(10);

    /// <summary>The longest delay between two attempts to connect (100 ms to 1 h; default: 5 s).</summary>
    public TimeSpan MaxDelay { get; init => field = Guard.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromHours(1), value); } = TimeSpan.FromSeconds(5);

    public TlsSettings? Tls { get; init; }

    /// <summary>Creates the settings of the client library.</summary>
    /// <param name="section">The section of the host, to which an error is added.</param>
    /// <returns>The settings, or <c>null</c> if there is no valid address; and the nodes of a cluster, or none for a single broker.</returns>
    public (ConnectionFactory? Factory, IReadOnlyList<AmqpTcpEndpoint> Nodes) CreateFactory(SettingsSection section)
    {
        if (Addresses is not [var first, ..])
            return (null, []);
        if (Tls is not null && !Addresses.TrueForAll(static address => address.IsEncrypted))
            section.AddError(nameof(Tls), "", "An address in Endpoint has no TLS. Begin each address with amqps://, or remove the section.");
        var nodes = Addresses.ConvertAll(address => new AmqpTcpEndpoint(address.Host, address.Port, CreateTls(address)));
        var factory = new ConnectionFactory { RequestedHeartbeat = Heartbeat, NetworkRecoveryInterval = MaxDelay, Endpoint = nodes[0] };
        (factory.UserName, factory.Password, factory.VirtualHost) = (User ?? first.User ?? factory.UserName, Password ?? first.Password ?? factory.Password, VirtualHost ?? first.VirtualHost ?? factory.VirtualHost);
        return (factory, nodes.Count > 1 ? nodes : []);
    }

    private SslOption CreateTls(BrokerAddress address)
    {
        var option = new SslOption(Tls?.TargetHost ?? address.Host, enabled: address.IsEncrypted);
        option.CertificateValidationCallback = new BrokerTrust(Tls?.Thumbprint, option.ServerName).Validate;
        if (Tls?.Certificate is { } certificate)
            option.Certs = [certificate];
        return option;
    }
}

/// <summary>The address of a broker: <c>amqp://USER:PASSWORD@HOST:PORT/VIRTUALHOST</c>, or <c>amqps</c> for TLS. Only the host is required.</summary>
internal sealed record BrokerAddress(string Host, int Port, bool IsEncrypted, string? User, string? Password, string? VirtualHost)
{
    private const string Expected = "one or more addresses, separated by commas, such as amqp://localhost or amqps://node1:5671,amqps://node2:5671. Only the first one may have credentials and a virtual host";

    /// <summary>Reads the addresses of a key. The error does not contain the value, which may contain a password.</summary>
    /// <returns>The addresses; none if the key is missing or its value is not valid.</returns>
    public static List<BrokerAddress> ReadAll(SettingsSection section, string key)
    {
        if (section.ReadText(key) is not { } text)
            return [];
        var all = new List<BrokerAddress>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (!TryParse(part, out var address) || (all.Count > 0 && (address.User ?? address.VirtualHost) is not null))
            {
                section.AddError(key, part.Contains('@', StringComparison.Ordinal) ? "" : $" contains '{part}'", $"It must be {Expected}.");
                return [];
            }

            all.Add(address);
        }

        return all;
    }

    private static bool TryParse(string text, out BrokerAddress address)
    {
        address = null!;
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Scheme is not ("amqp" or "amqps") || uri.Host.Length == 0 || uri.Query.Length + uri.Fragment.Length > 0 || uri.AbsolutePath.IndexOf('/', 1) > 0)
            return false;
        var credentials = uri.UserInfo.Split(':', 2);
        var path = uri.AbsolutePath.TrimStart('/');
        address = new BrokerAddress(
            uri.IdnHost,
            uri.Port, // -1 is the default port of the scheme
            uri.Scheme == "amqps",
            credentials[0].Length > 0 ? Uri.UnescapeDataString(credentials[0]) : null,
            credentials.Length > 1 ? Uri.UnescapeDataString(credentials[1]) : null,
            path.Length > 0 ? Uri.UnescapeDataString(path) : null);
        return true;
    }
}

/// <summary>Decides whether a host trusts the certificate of a broker. If not, the exception explains the reason and a solution.</summary>
/// <param name="pinned">The SHA-256 thumbprint of the only certificate to trust; <c>null</c> to let the system check the certificate.</param>
/// <param name="name">The name that the certificate must contain. Ignored if a thumbprint is pinned.</param>
internal sealed class BrokerTrust(string? pinned, string name)
{
    /// <summary>Checks the certificate of a connection.</summary>
    /// <returns><c>true</c>.</returns>
    /// <exception cref="AuthenticationException">Thrown when the certificate is not trusted. The client library reports the exception as the reason of the failed attempt.</exception>
    public bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors) =>
        FindRefusal(certificate as X509Certificate2, chain, errors) is { } refusal ? throw new AuthenticationException(refusal) : true;

    private string? FindRefusal(X509Certificate2? shown, X509Chain? chain, SslPolicyErrors errors)
    {
        if (shown is null)
            return "The broker sent no certificate. Set certfile and keyfile in the ssl_options of the broker.";
        var thumbprint = shown.GetCertHashString(HashAlgorithmName.SHA256);
        if (pinned is not null)
        {
            return thumbprint == pinned
                ? null
                : $"The certificate of the broker has the thumbprint {thumbprint}; Tls:Thumbprint is {pinned}. If the broker has a new certificate, set its thumbprint. Otherwise, this is another server.";
        }

        if (errors == SslPolicyErrors.None)
            return null;
        if (errors == SslPolicyErrors.RemoteCertificateNameMismatch)
            return $"The certificate of the broker is for {shown.GetNameInfo(X509NameType.DnsName, forIssuer: false)}, and not for {name}. If that name is correct, set Tls:TargetHost to it.";
        var reason = chain is { ChainStatus: [var first, ..] } ? first.StatusInformation.Trim() : errors.ToString();
        return $"This system does not trust the certificate of the broker ({reason}). If the thumbprint of the certificate of the broker is {thumbprint}, set Tls:Thumbprint to it. Otherwise, have the issuer of its certificate trusted.";
    }
}
