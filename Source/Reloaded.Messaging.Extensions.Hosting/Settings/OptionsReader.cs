using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads the options of a host from its section, without reflection. Each value is checked by the property that it is for.</summary>
internal static class OptionsReader
{
    /// <param name="section">The section of the host.</param>
    /// <param name="isClient">Whether the host is a client. A server has no <c>Reconnect</c>, and a client has no <c>PublishedName</c>.</param>
    public static MessageHostOptions Read(SettingsSection section, bool isClient)
    {
        var defaults = new MessageHostOptions();
        return new MessageHostOptions
        {
            Token = section.ReadSecret(nameof(defaults.Token)),
            PublishedName = isClient ? null : section.ReadText(nameof(defaults.PublishedName)),
            Reconnect = isClient ? section.ReadSection(nameof(defaults.Reconnect), null, ReadReconnect) : null,
            Protection = section.ReadSection(nameof(defaults.Protection), null, ReadProtection),
            RequestTimeout = section.ReadTime(nameof(defaults.RequestTimeout), defaults.RequestTimeout, static value => new MessageHostOptions { RequestTimeout = value }),
            PingInterval = section.ReadTime(nameof(defaults.PingInterval), defaults.PingInterval, static value => new MessageHostOptions { PingInterval = value }),
            KeepAliveTimeout = section.ReadTime(nameof(defaults.KeepAliveTimeout), defaults.KeepAliveTimeout, static value => new MessageHostOptions { KeepAliveTimeout = value }),
            FlushTimeout = section.ReadTime(nameof(defaults.FlushTimeout), defaults.FlushTimeout, static value => new MessageHostOptions { FlushTimeout = value }),
            StopTimeout = section.ReadTime(nameof(defaults.StopTimeout), defaults.StopTimeout, static value => new MessageHostOptions { StopTimeout = value }),
            IdleTimeout = section.ReadOptionalTime(nameof(defaults.IdleTimeout), defaults.IdleTimeout, static value => new MessageHostOptions { IdleTimeout = value }),
            IsPumped = section.ReadFlag(nameof(defaults.IsPumped), defaults.IsPumped),
            PumpCapacity = section.ReadInt(nameof(defaults.PumpCapacity), defaults.PumpCapacity),
            PumpBytes = section.ReadInt(nameof(defaults.PumpBytes), defaults.PumpBytes),
            AcceptsOtherContracts = section.ReadFlag(nameof(defaults.AcceptsOtherContracts), defaults.AcceptsOtherContracts),
            CarriesTraceContext = section.ReadFlag(nameof(defaults.CarriesTraceContext), defaults.CarriesTraceContext),
            AllowSynchronousContinuations = section.ReadFlag(nameof(defaults.AllowSynchronousContinuations), defaults.AllowSynchronousContinuations),
            MessageLimits = section.ReadSection(nameof(defaults.MessageLimits), defaults.MessageLimits, MessageLimitsReader.Read),
            Limits = section.ReadSection(nameof(defaults.Limits), defaults.Limits, LimitsReader.Read),
        };
    }

    private static ReconnectOptions ReadReconnect(SettingsSection section)
    {
        var defaults = new ReconnectOptions();
        return new ReconnectOptions
        {
            FirstDelay = section.ReadTime(nameof(defaults.FirstDelay), defaults.FirstDelay, static value => new ReconnectOptions { FirstDelay = value }),
            MaxDelay = section.ReadTime(nameof(defaults.MaxDelay), defaults.MaxDelay, static value => new ReconnectOptions { MaxDelay = value }),
            Jitter = section.ReadNumber(nameof(defaults.Jitter), defaults.Jitter, static value => new ReconnectOptions { Jitter = value }),
            ResendsRequests = section.ReadFlag(nameof(defaults.ResendsRequests), defaults.ResendsRequests),
        };
    }

    private static ProtectionOptions ReadProtection(SettingsSection section)
    {
        var bits = section.ReadInt(nameof(ProtectionOptions.KeyBits), 256, static value => ProtectionOptions.WithToken(value));
        var secret = section.ReadSecret("Secret", static value => ProtectionOptions.WithSecret(value));
        return secret is { Length: >= ProtectionOptions.MinSecretSize } ? ProtectionOptions.WithSecret(secret, bits) : ProtectionOptions.WithToken(bits);
    }
}
