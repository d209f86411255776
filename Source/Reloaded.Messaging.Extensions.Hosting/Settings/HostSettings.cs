using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The settings of a server or a client, and the tables by which its section is read.</summary>
/// <param name="Tls">The TLS options of the endpoint.</param>
/// <param name="Endpoint">The endpoint, or <c>null</c> if it is missing or not valid.</param>
/// <param name="Options">The options of the host. Each value is checked by the property that it is for.</param>
internal sealed record HostSettings(TlsOptions? Tls, MessageEndpoint? Endpoint, MessageHostOptions Options)
{
    private static readonly SettingsTable<HostLimits> s_limits = new SettingsTable<HostLimits>()
        .Int(nameof(HostLimits.MaxPeers), static (limits, value) => limits with { MaxPeers = value })
        .Int(nameof(HostLimits.MaxPeersPerAddress), static (limits, value) => limits with { MaxPeersPerAddress = value })
        .Time(nameof(HostLimits.HandshakeTimeout), static (limits, value) => limits with { HandshakeTimeout = value })
        .Int(nameof(HostLimits.MaxPendingBytes), static (limits, value) => limits with { MaxPendingBytes = value })
        .Int(nameof(HostLimits.MessagesPerSecond), static (limits, value) => limits with { MessagesPerSecond = value })
        .Int(nameof(HostLimits.BytesPerSecond), static (limits, value) => limits with { BytesPerSecond = value })
        .Name<OverflowAction>(nameof(HostLimits.OverflowAction), static (limits, value) => limits with { OverflowAction = value });

    private static readonly SettingsTable<ReconnectOptions> s_reconnect = new SettingsTable<ReconnectOptions>()
        .Time(nameof(ReconnectOptions.MaxDelay), static (reconnect, value) => reconnect with { MaxDelay = value })
        .Flag(nameof(ReconnectOptions.ResendsRequests), static (reconnect, value) => reconnect with { ResendsRequests = value });

    /// <summary>The number of bits is read first, because the secret and the keys keep it.</summary>
    private static readonly SettingsTable<ProtectionOptions> s_protection = new SettingsTable<ProtectionOptions>()
        .Int(nameof(ProtectionOptions.KeyBits), static (_, value) => ProtectionOptions.WithToken(value))
        .Secret("Secret", static (protection, value) => ProtectionOptions.WithSecret(value, protection.KeyBits))
        .Text(nameof(ProtectionOptions.ServerKey), static (protection, value) => ProtectionOptions.WithServerKey(value, protection.KeyBits))
        .Text("ServerKeyFile", static (protection, value) => ProtectionOptions.WithServerKeyFile(value, protection.KeyBits));

    private static readonly SettingsTable<MessageHostOptions> s_options = new SettingsTable<MessageHostOptions>()
        .Secret(nameof(MessageHostOptions.Token), static (options, value) => options with { Token = value })
        .Section(nameof(MessageHostOptions.Protection), s_protection, ProtectionOptions.WithToken(), static (options, value) => options with { Protection = value })
        .Time(nameof(MessageHostOptions.RequestTimeout), static (options, value) => options with { RequestTimeout = value })
        .Time(nameof(MessageHostOptions.KeepAliveTimeout), static (options, value) => options with { KeepAliveTimeout = value })
        .Time(nameof(MessageHostOptions.FlushTimeout), static (options, value) => options with { FlushTimeout = value })
        .Time(nameof(MessageHostOptions.StopTimeout), static (options, value) => options with { StopTimeout = value })
        .Time(nameof(MessageHostOptions.IdleTimeout), static (options, value) => options with { IdleTimeout = value })
        .Flag(nameof(MessageHostOptions.IsPumped), static (options, value) => options with { IsPumped = value })
        .Flag(nameof(MessageHostOptions.AcceptsOtherContracts), static (options, value) => options with { AcceptsOtherContracts = value })
        .Flag(nameof(MessageHostOptions.CarriesTraceContext), static (options, value) => options with { CarriesTraceContext = value })
        .Flag(nameof(MessageHostOptions.AllowSynchronousContinuations), static (options, value) => options with { AllowSynchronousContinuations = value })
        .Section(nameof(MessageHostOptions.MessageLimits), MessageLimitsSettings.Table, MessageLimits.Default, static (options, value) => options with { MessageLimits = value })
        .Section(nameof(MessageHostOptions.Limits), s_limits, HostLimits.Default, static (options, value) => options with { Limits = value });

    private static readonly SettingsTable<HostSettings> s_server = new SettingsTable<HostSettings>()
        .Add(nameof(Tls), ReadServerTls)
        .Add(nameof(Endpoint), ReadEndpoint)
        .Include(s_options, static host => host.Options, static (host, value) => host with { Options = value })
        .Text(nameof(MessageHostOptions.PublishedName), static (host, value) => host with { Options = host.Options with { PublishedName = value } });

    private static readonly SettingsTable<HostSettings> s_client = new SettingsTable<HostSettings>()
        .Section(nameof(Tls), TlsSettings.Remote, new TlsSettings(), static (host, tls) => host with { Tls = new TlsOptions { PinnedThumbprint = tls.Thumbprint, TargetHost = tls.TargetHost } })
        .Add(nameof(Endpoint), ReadEndpoint)
        .Include(s_options, static host => host.Options, static (host, value) => host with { Options = value })
        .Section(nameof(MessageHostOptions.Reconnect), s_reconnect, new ReconnectOptions(), static (host, value) => host with { Options = host.Options with { Reconnect = value } });

    /// <summary>Reads the section of a server or of a client, without reflection. The errors are added to the section.</summary>
    public static void Read(SettingsSection section, MessageHostSettings settings, bool isClient) =>
        (_, settings.Endpoint, settings.Options) = (isClient ? s_client : s_server).Read(section, new HostSettings(null, null, new MessageHostOptions()));

    private static HostSettings ReadServerTls(SettingsSection section, string key, HostSettings host)
    {
        if (section.Find(key) is not { } found)
            return host;
        if (!found.Has(TlsSettings.Path))
            found.AddError(TlsSettings.Path, "", "The server needs a certificate with its private key. Set the path of a PKCS #12 file (.pfx).");
        return host with { Tls = new TlsOptions { Certificate = TlsSettings.Own.Read(found, new TlsSettings()).Certificate } };
    }

    /// <summary>Reads the endpoint, after <see cref="Tls"/>.</summary>
    private static HostSettings ReadEndpoint(SettingsSection section, string key, HostSettings host)
    {
        if (section.ReadText(key) is not { } text)
            return host;
        try
        {
            return host with { Endpoint = MessageEndpoint.Parse(text, host.Tls) };
        }
        catch (FormatException e)
        {
            section.AddError(key, "", e.Message);
            return host;
        }
    }
}
